package dev.sluice.consumer.projection;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StatusRowTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final Instant T0 = Events.T0;

	@Test
	void anOutcomeWithoutAnAcceptanceCountsFromItsOwnTime() {
		StatusRow old = StatusRow
			.of(new OrderOutcome(ID, "c-1", OrderStatus.FAILED, 8, T0.plusSeconds(10), null, "because", "{}"), 3);

		assertThat(old.acceptance()).isEqualTo(T0.plusSeconds(10));
	}

	/** No record of {@code orders} has the fingerprint. */
	@Test
	void theOutcomeOfASynchronousOrderBringsItsFingerprint() {
		StatusRow row = StatusRow
			.of(OrderOutcome.savedSync(ID, "c-1", T0, Fingerprint.ofJson("order".getBytes(StandardCharsets.UTF_8))), 7);

		assertThat(row.status()).isEqualTo(OrderStatus.SAVED);
		assertThat(row.attempts()).isEqualTo(1);
		assertThat(row.acceptedAt()).isNull();
		assertThat(row.updatedAt()).isEqualTo(T0);
		assertThat(row.fingerprint()).isEqualTo(Fingerprint.ofJson("order".getBytes(StandardCharsets.UTF_8)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> StatusRow.of(OrderOutcome.savedSync(ID, "c-1", T0, new Fingerprint("x")), 7));
	}

	/** The merge in Java, which the model of keys uses. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void anyOrderAndRepetitionGivesTheSame(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 50; i++) {
			Events events = new Events(random, ID);

			for (int round = 0; round < 20; round++) {
				assertThat(events.read(events.repeated()).stream().reduce(ProjectedOrder::merge))
					.contains(events.expected());
				assertThat(events.read(events.compacted()).stream().reduce(ProjectedOrder::merge))
					.contains(events.expected());
			}
		}
	}

	@Test
	void keepsNothingThatPostgresCannot() {
		StatusRow row = StatusRow
			.of(new OrderOutcome(ID, "c\0-1", OrderStatus.FAILED, 1, Instant.parse("2026-11-21T10:00:00.123456789Z"),
					Instant.parse("2026-11-21T09:00:00.123456789Z"), "bad\0byte", null), 0);

		assertThat(row.customerId()).isEqualTo("c-1");
		assertThat(row.reason()).isEqualTo("badbyte");
		assertThat(row.updatedAt()).isEqualTo("2026-11-21T10:00:00.123456Z");
		assertThat(row.acceptance()).isEqualTo("2026-11-21T09:00:00.123456Z");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> StatusRow.of(new OrderOutcome(ID, "c-1", OrderStatus.SAVED, -1, T0, T0, null, null), 0));
		assertThatIllegalArgumentException().isThrownBy(
				() -> StatusRow.of(new OrderOutcome(ID, "c-1", OrderStatus.SAVED, 1, Instant.MAX, T0, null, null), 0));
	}

}
