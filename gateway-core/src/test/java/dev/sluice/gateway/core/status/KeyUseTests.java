package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OrderRequest.Preference;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyUseTests {

	private static final Fingerprint ONE = new Fingerprint("01");

	private static final IdempotencyKey KEY = new IdempotencyKey("k");

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

	@ParameterizedTest
	@EnumSource(Mode.class)
	void refusesAnotherOrderUnderAUsedKey(Mode mode) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> new KeyUse.Used(OTHER).isDispatchNeeded(request(mode), KEY))
			.satisfies((problem) -> assertThat(problem.type()).isEqualTo(ProblemType.KEY_REUSED));
	}

	/** Only the backend has the answer to a repeated sync order. */
	@Test
	void dispatchesARepeatInSyncModeAlone() {
		assertThat(new KeyUse.Used(ONE).isDispatchNeeded(request(Mode.SYNC), KEY)).isTrue();
		assertThat(new KeyUse.Used(ONE).isDispatchNeeded(request(Mode.QUEUED), KEY)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(Mode.class)
	void dispatchesTheFirstOrderOfAKey(Mode mode) {
		assertThat(new KeyUse.Unused().isDispatchNeeded(request(mode), KEY)).isTrue();
	}

	/** Accepting needs Kafka alone. */
	@Test
	void dispatchesAnOrderWhoseKeyIsNotKnownInQueuedModeAlone() {
		assertThat(new KeyUse.Unknown().isDispatchNeeded(request(Mode.QUEUED), KEY)).isTrue();
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> new KeyUse.Unknown().isDispatchNeeded(request(Mode.SYNC), KEY))
			.satisfies((problem) -> assertThat(problem.type()).isEqualTo(ProblemType.STATUS_UNAVAILABLE));
	}

	@Test
	void recordsHowLongItTookToFindOut() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();

		new KeyUse.Used(ONE).record(meters, 1_000);
		new KeyUse.Unused().record(meters, 20_000);
		new KeyUse.Unknown().record(meters, 300_000);
		new KeyUse.Unknown().record(meters, 300_000);

		assertThat(lookUpMicros(meters, "known")).isEqualTo(1);
		assertThat(lookUpMicros(meters, "unknown")).isEqualTo(20);
		assertThat(lookUpMicros(meters, "unanswered")).isEqualTo(600);
	}

	private static double lookUpMicros(SimpleMeterRegistry meters, String outcome) {
		return meters.get("sluice.key.lookup").tag("outcome", outcome).timer().totalTime(TimeUnit.MICROSECONDS);
	}

	private static OrderRequest request(Mode mode) {
		return new OrderRequest(new ValidOrder(new UUID(0, 1), new Order("c-1", null, null), new byte[0], ONE, null),
				KEY, new Preference(new Prefer(mode == Mode.QUEUED, Duration.ZERO), mode, Duration.ZERO));
	}

}
