package dev.sluice.gateway.core.web;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.Order;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeWaitTests {

	private static final UUID ID = UUID.randomUUID();

	/** So large that the deadline overflows. */
	private static final long START = Long.MAX_VALUE - 1;

	private static final Duration WAIT = Duration.ofSeconds(2);

	private final OutcomeWait wait = new OutcomeWait(request(), START);

	@ParameterizedTest
	@EnumSource(value = OrderStatus.class, names = { "ACCEPTED", "RETRYING" })
	void goesOnUntilTheDeadline(OrderStatus status) {
		long deadline = START + WAIT.toNanos();

		assertThat(this.wait.check(Optional.of(view(status)), deadline - 1)).isNull();
		assertThat(this.wait.check(Optional.of(view(status)), deadline)).isNotNull();
	}

	@Test
	void goesOnWhilePostgresDoesNotKnowTheOrder() {
		assertThat(this.wait.check(Optional.empty(), START)).isNull();
	}

	@Test
	void looksAgainAfterGrowingPauses() {
		assertThat(this.wait.nextPause(START)).hasMillis(50);
		assertThat(this.wait.nextPause(START)).hasMillis(100);
		assertThat(this.wait.nextPause(START)).hasMillis(200);
		assertThat(this.wait.nextPause(START)).hasMillis(400);
		assertThat(this.wait.nextPause(START)).hasMillis(500);
		assertThat(this.wait.nextPause(START)).hasMillis(500);
	}

	@Test
	void looksALastTimeAtTheDeadline() {
		long deadline = START + WAIT.toNanos();

		assertThat(this.wait.nextPause(deadline - 1_000)).hasNanos(1_000);
	}

	private static OrderRequest request() {
		return new OrderRequest(new ValidOrder(ID, new Order("c-1", null, null), new byte[0], null, null), null,
				new Prefer(true, Mode.QUEUED, WAIT));
	}

	private static OrderView view(OrderStatus status) {
		return new OrderView(ID, status, 1, null, Instant.EPOCH, null);
	}

}
