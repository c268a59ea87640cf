package dev.sluice.gateway.core.status;

import java.util.Optional;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeyUseTests {

	private static final Fingerprint ONE = new Fingerprint("01");

	private static final Fingerprint OTHER = new Fingerprint("02");

	@ParameterizedTest
	@EnumSource(Reading.class)
	void believesPostgresFirst(Reading reading) {
		assertThat(KeyUse.of(reading, OTHER, Optional.of(ONE))).isEqualTo(new KeyUse.Used(ONE));
	}

	@ParameterizedTest
	@EnumSource(Reading.class)
	void believesWhatKafkaHasAlsoWherePostgresDoesNotAnswer(Reading reading) {
		assertThat(KeyUse.of(reading, ONE, Optional.empty())).isEqualTo(new KeyUse.Used(ONE));
		assertThat(KeyUse.of(reading, ONE, null)).isEqualTo(new KeyUse.Used(ONE));
	}

	@Test
	void isUnusedWhereBothKnowNothing() {
		assertThat(KeyUse.of(Reading.CURRENT, null, Optional.empty())).isEqualTo(new KeyUse.Unused());
	}

	@Test
	void isUnusedForAGatewayThatHasLostKafka() {
		assertThat(KeyUse.of(Reading.UNREACHABLE, null, Optional.empty())).isEqualTo(new KeyUse.Unused());
	}

	@Test
	void isNotKnownWhileKafkaIsNotReadToItsEnd() {
		assertThat(KeyUse.of(Reading.BEHIND, null, Optional.empty())).isEqualTo(new KeyUse.Unknown());
	}

	@ParameterizedTest
	@EnumSource(Reading.class)
	void isNotKnownWherePostgresDoesNotAnswer(Reading reading) {
		assertThat(KeyUse.of(reading, null, null)).isEqualTo(new KeyUse.Unknown());
	}

}
