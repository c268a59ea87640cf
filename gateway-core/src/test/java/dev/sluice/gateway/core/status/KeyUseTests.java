package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.time.Instant;
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
import dev.sluice.gateway.core.queue.RecentRecord;
import dev.sluice.gateway.core.web.OrderRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyUseTests {

	private static final Fingerprint ONE = new Fingerprint("01");

	private static final IdempotencyKey KEY = new IdempotencyKey("k");

	private static final Fingerprint OTHER = new Fingerprint("02");

	private static final Fingerprint THIRD = new Fingerprint("03");

	private static final UUID ID = new UUID(0, 1);

	private static final RecentRecord ACCEPTANCE = record(OTHER);

	@ParameterizedTest
	@EnumSource(Reading.class)
	void believesASaveThenPostgresThenAnAcceptance(Reading reading) {
		RecentOrder saved = known(reading, ACCEPTANCE, record(THIRD));
		RecentOrder accepted = known(reading, ACCEPTANCE, record(null));
		RecentOrder nothing = known(reading, null, null);
		KeyUse.Used used = new KeyUse.Used(null, OTHER);

		assertThat(KeyUse.of(saved, Optional.of(used))).isEqualTo(new KeyUse.Used(THIRD, null));
		assertThat(KeyUse.of(accepted, Optional.of(used))).isEqualTo(used);
		assertThat(KeyUse.of(accepted, Optional.empty())).isEqualTo(new KeyUse.Used(OTHER, null));
		assertThat(KeyUse.of(saved, null)).isEqualTo(new KeyUse.Used(THIRD, null));
		assertThat(KeyUse.of(accepted, null)).as("PostgreSQL may have an earlier one")
			.isEqualTo(new KeyUse.Unknown(OTHER));
		assertThat(KeyUse.of(nothing, null)).isEqualTo(new KeyUse.Unknown(null));
	}

	/** Also for a gateway that has lost Kafka after it had read everything. */
	@ParameterizedTest
	@EnumSource(Reading.class)
	void isUnusedWhereBothKnowNothingUnlessKafkaIsNotReadToItsEnd(Reading reading) {
		assertThat(KeyUse.of(known(reading, null, null), Optional.empty()))
			.isEqualTo((reading == Reading.BEHIND) ? new KeyUse.Unknown(null) : new KeyUse.Unused());
	}

	@ParameterizedTest
	@EnumSource(Mode.class)
	void refusesAnotherOrderUnderAUsedKey(Mode mode) {
		assertRefused(new KeyUse.Used(OTHER, null), mode, ProblemType.KEY_REUSED);
	}

	/** Only the backend has the answer to a repeated sync order. */
	@Test
	void dispatchesARepeatInSyncModeAlone() {
		assertThat(new KeyUse.Used(ONE, OTHER).isDispatchNeeded(request(Mode.SYNC), KEY)).isTrue();
		assertThat(new KeyUse.Used(ONE, OTHER).isDispatchNeeded(request(Mode.QUEUED), KEY)).isFalse();
	}

	/** The backend has an order that nobody else knows: not the one that it refused. */
	@ParameterizedTest
	@EnumSource(Mode.class)
	void leavesItToTheBackendWhetherAPayloadIsTheOneThatItHas(Mode mode) {
		assertThat(new KeyUse.Used(null, OTHER).isDispatchNeeded(request(mode), KEY)).isTrue();
		assertRefused(new KeyUse.Used(null, ONE), mode, ProblemType.KEY_REUSED);
	}

	@ParameterizedTest
	@EnumSource(Mode.class)
	void dispatchesTheFirstOrderOfAKey(Mode mode) {
		assertThat(new KeyUse.Unused().isDispatchNeeded(request(mode), KEY)).isTrue();
	}

	/** Accepting needs Kafka alone. */
	@Test
	void dispatchesAnOrderWhoseKeyIsNotKnownInQueuedModeAlone() {
		assertThat(new KeyUse.Unknown(null).isDispatchNeeded(request(Mode.QUEUED), KEY)).isTrue();
		assertThat(new KeyUse.Unknown(ONE).isDispatchNeeded(request(Mode.QUEUED), KEY)).isFalse();
		assertRefused(new KeyUse.Unknown(OTHER), Mode.QUEUED, ProblemType.KEY_REUSED);
		assertRefused(new KeyUse.Unknown(null), Mode.SYNC, ProblemType.STATUS_UNAVAILABLE);
		assertRefused(new KeyUse.Unknown(ONE), Mode.SYNC, ProblemType.STATUS_UNAVAILABLE);
		assertRefused(new KeyUse.Unknown(OTHER), Mode.SYNC, ProblemType.STATUS_UNAVAILABLE);
	}

	private static void assertRefused(KeyUse use, Mode mode, ProblemType type) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> use.isDispatchNeeded(request(mode), KEY))
			.satisfies((problem) -> assertThat(problem.type()).isEqualTo(type));
	}

	@Test
	void recordsHowLongItTookToFindOut() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();

		new KeyUse.Used(ONE, null).record(meters, 1_000);
		new KeyUse.Unused().record(meters, 20_000);
		new KeyUse.Unknown(null).record(meters, 300_000);
		new KeyUse.Unknown(ONE).record(meters, 300_000);

		assertThat(lookUpMicros(meters, "known")).isEqualTo(1);
		assertThat(lookUpMicros(meters, "unknown")).isEqualTo(20);
		assertThat(lookUpMicros(meters, "unanswered")).isEqualTo(600);
	}

	private static double lookUpMicros(SimpleMeterRegistry meters, String outcome) {
		return meters.get("sluice.key.lookup").tag("outcome", outcome).timer().totalTime(TimeUnit.MICROSECONDS);
	}

	private static RecentRecord record(@Nullable Fingerprint fingerprint) {
		return new RecentRecord(ID, fingerprint, Instant.EPOCH, 0);
	}

	private static RecentOrder known(Reading reading, @Nullable RecentRecord acceptance, @Nullable RecentRecord save) {
		return new RecentOrder(ID, reading, acceptance, save, null);
	}

	private static OrderRequest request(Mode mode) {
		return new OrderRequest(new ValidOrder(ID, new Order("c-1", null, null), new byte[0], ONE, null), KEY,
				new Prefer(mode == Mode.QUEUED, mode, Duration.ZERO));
	}

}
