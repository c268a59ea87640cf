package dev.sluice.consumer.projection;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StatusRowTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final Instant T0 = Instant.parse("2026-11-21T10:00:00Z");

	@Test
	void theLaterEventWins() {
		StatusRow retrying = row(OrderStatus.RETRYING, 2, 20);

		assertThat(row(OrderStatus.RETRYING, 1, 10).merge(retrying)).isEqualTo(retrying);
		assertThat(retrying.merge(row(OrderStatus.RETRYING, 1, 10))).isEqualTo(retrying);
	}

	@Test
	void atTheSameTimeTheOneFurtherOnWins() {
		StatusRow accepted = accepted(10);
		StatusRow retrying = row(OrderStatus.RETRYING, 1, 10);
		StatusRow failed = row(OrderStatus.FAILED, 1, 10);

		assertThat(accepted.merge(retrying).status()).isEqualTo(OrderStatus.RETRYING);
		assertThat(failed.merge(retrying).status()).isEqualTo(OrderStatus.FAILED);
	}

	@Test
	void savedWinsOverWhateverIsLater() {
		StatusRow saved = row(OrderStatus.SAVED, 1, 10);

		assertThat(saved.merge(row(OrderStatus.RETRYING, 1, 20)).status()).isEqualTo(OrderStatus.SAVED);
		assertThat(accepted(30).merge(saved).status()).isEqualTo(OrderStatus.SAVED);
	}

	@Test
	void aFailedOrderThatIsSentAgainIsAcceptedAgain() {
		StatusRow merged = row(OrderStatus.FAILED, 8, 10).merge(accepted(20));

		assertThat(merged.status()).isEqualTo(OrderStatus.ACCEPTED);
		assertThat(merged.payload()).isNull();
	}

	@Test
	void theTimeOfTheFirstAcceptanceStays() {
		StatusRow merged = row(OrderStatus.SAVED, 1, 10).merge(accepted(5)).merge(accepted(3)).merge(accepted(30));

		assertThat(merged.acceptedAt()).isEqualTo(T0.plusSeconds(3));
		assertThat(merged.updatedAt()).isEqualTo(T0.plusSeconds(10));
	}

	@Test
	void theFingerprintOfTheFirstAcceptanceStays() {
		StatusRow merged = accepted(20, "other").merge(row(OrderStatus.FAILED, 1, 15)).merge(accepted(10, "first"));

		assertThat(merged.fingerprint()).isEqualTo(fingerprint("first"));
		assertThat(merged.status()).isEqualTo(OrderStatus.ACCEPTED);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void anyOrderAndRepetitionGivesTheSame(long seed) {
		Random random = new Random(seed);
		List<StatusRow> events = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			int second = random.nextInt(10);
			events.add(random.nextBoolean() ? accepted(second, "order " + random.nextInt(3))
					: row(OrderStatus.values()[1 + random.nextInt(3)], random.nextInt(4), second));
		}
		StatusRow expected = events.stream().reduce(StatusRow::merge).orElseThrow();

		for (int i = 0; i < 50; i++) {
			events.add(events.get(random.nextInt(events.size())));
			Collections.shuffle(events, random);
			int cut = random.nextInt(1, events.size());
			StatusRow first = events.subList(0, cut).stream().reduce(StatusRow::merge).orElseThrow();
			StatusRow second = events.subList(cut, events.size()).stream().reduce(StatusRow::merge).orElseThrow();
			assertThat(first.merge(second)).isEqualTo(expected);
		}
	}

	@Test
	void keepsNothingThatPostgresCannot() {
		StatusRow row = new StatusRow(ID, "c\0-1", OrderStatus.FAILED, 1, null,
				Instant.parse("2026-11-21T10:00:00.123456789Z"), "bad\0byte", null, null);

		assertThat(row.customerId()).isEqualTo("c-1");
		assertThat(row.reason()).isEqualTo("badbyte");
		assertThat(row.updatedAt()).isEqualTo("2026-11-21T10:00:00.123456Z");
		assertThatIllegalArgumentException().isThrownBy(() -> row(OrderStatus.SAVED, -1, 0));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new StatusRow(ID, "c-1", OrderStatus.SAVED, 1, null, Instant.MAX, null, null, null));
	}

	private static StatusRow accepted(int second) {
		return accepted(second, "order");
	}

	private static StatusRow accepted(int second, String order) {
		return new StatusRow(ID, "c-1", OrderStatus.ACCEPTED, 0, T0.plusSeconds(second), T0.plusSeconds(second), null,
				null, fingerprint(order));
	}

	private static Fingerprint fingerprint(String order) {
		return Fingerprint.ofJson(order.getBytes(StandardCharsets.UTF_8));
	}

	private static StatusRow row(OrderStatus status, int attempts, int second) {
		@Nullable String reason = (status == OrderStatus.SAVED) ? null : "because";
		return new StatusRow(ID, "c-1", status, attempts, null, T0.plusSeconds(second), reason,
				(status == OrderStatus.FAILED) ? "{}" : null, null);
	}

}
