package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OutcomeWaitTests {

	private static final UUID ID = UUID.randomUUID();

	/** So large that the deadline overflows. */
	private static final long START = Long.MAX_VALUE - 1;

	private static final Duration WAIT = Duration.ofSeconds(2);

	private static final long DEADLINE = START + WAIT.toNanos();

	private static final Fingerprint MINE = new Fingerprint("01");

	private static final Fingerprint OTHER = new Fingerprint("02");

	private final OutcomeWait wait = wait(MINE);

	@ParameterizedTest
	@EnumSource(value = OrderStatus.class, names = { "ACCEPTED", "RETRYING" })
	void goesOnUntilTheDeadline(OrderStatus status) {
		assertThat(this.wait.check(row(status, null), DEADLINE - 1)).isNull();
		assertThat(this.wait.check(row(status, null), DEADLINE)).isNotNull();
	}

	@Test
	void goesOnWhilePostgresDoesNotKnowTheOrder() {
		assertThat(this.wait.check(Optional.empty(), START)).isNull();
	}

	@Test
	void looksAgainAfterGrowingPauses() {
		List<Long> looks = new ArrayList<>();
		Duration waited = Duration.ZERO;
		while (waited.compareTo(WAIT) < 0) {
			waited = waited.plus(this.wait.nextPause(START + waited.toNanos()));
			looks.add(waited.toMillis());
		}

		assertThat(looks).containsExactly(50L, 150L, 450L, 950L, 1_450L, 1_950L, 2_000L);
	}

	@Test
	void looksALastTimeAtTheDeadline() {
		assertThat(this.wait.nextPause(DEADLINE - 1_000)).hasNanos(1_000);
	}

	static Stream<KeyUse.Used> ofAnotherPayload() {
		return Stream.of(new KeyUse.Used(null, MINE), new KeyUse.Used(OTHER, MINE), new KeyUse.Used(OTHER, null));
	}

	@ParameterizedTest
	@MethodSource("ofAnotherPayload")
	void doesNotSayThatARefusedPayloadIsSaved(KeyUse.Used used) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> this.wait.check(row(OrderStatus.SAVED, used), START))
			.extracting(ProblemException::type)
			.isEqualTo(ProblemType.KEY_REUSED);
	}

	@Test
	void saysThatThePayloadIsSaved() {
		assertSaved(this.wait, new KeyUse.Used(MINE, OTHER));
		assertSaved(this.wait, new KeyUse.Used(null, OTHER));
		assertSaved(wait(null), null);
	}

	/** The consumer may still find that the backend has another payload. */
	@ParameterizedTest
	@EnumSource(value = OrderStatus.class, names = "SAVED", mode = EnumSource.Mode.EXCLUDE)
	void refusesNothingBeforeTheOrderIsSaved(OrderStatus status) {
		assertThat(this.wait.check(row(status, new KeyUse.Used(OTHER, null)), DEADLINE).order().status())
			.isEqualTo(OrderStatus.ACCEPTED);
	}

	private static void assertSaved(OutcomeWait wait, KeyUse.@Nullable Used used) {
		Optional<StatusRow> row = row(OrderStatus.SAVED, used);

		assertThat(wait.check(row, START).order()).isEqualTo(row.orElseThrow().view());
	}

	private static OutcomeWait wait(@Nullable Fingerprint fingerprint) {
		IdempotencyKey key = (fingerprint != null) ? new IdempotencyKey("k") : null;
		return new OutcomeWait(
				new OrderRequest(new ValidOrder(ID, new Order("c-1", null, null), new byte[0], fingerprint, null), key,
						new Prefer(true, Mode.QUEUED, WAIT)),
				START);
	}

	private static Optional<StatusRow> row(OrderStatus status, KeyUse.@Nullable Used used) {
		OrderView view = new OrderView(ID, status, 1, null, Instant.EPOCH, null);
		return Optional.of(new StatusRow(view, "c-1", Instant.EPOCH, used, null));
	}

}
