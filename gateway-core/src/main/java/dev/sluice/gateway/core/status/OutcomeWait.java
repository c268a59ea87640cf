package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.Optional;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request that waits for its queued order to be saved ({@code Prefer: wait=n}). It
 * polls the order's status with growing pauses, the last time at its deadline.
 *
 * @param request the request
 * @param startNanos when it began to wait, as {@link System#nanoTime()}
 */
public record OutcomeWait(OrderRequest request, long startNanos) {

	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(50).toNanos();

	private static final long MAX_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

	/**
	 * Evaluates one look at the order.
	 * @param row what PostgreSQL has; null if it does not answer
	 * @param nowNanos the time of the look
	 * @return the reply, null if the wait goes on
	 * @throws ProblemException if another order is saved under its key
	 */
	public @Nullable OrderReply check(@Nullable Optional<StatusRow> row, long nowNanos) {
		if (row == null) {
			return notWaited();
		}
		OrderView accepted = OrderReply.accepted(this.request.id());
		OrderView order = row.map(this::view).orElse(accepted);
		return switch (order.status()) {
			case SAVED -> OrderReply.to(this.request, order, true);
			case FAILED -> OrderReply.to(this.request, accepted, true);
			case ACCEPTED, RETRYING -> (leftNanos(nowNanos) > 0) ? null : OrderReply.to(this.request, accepted, true);
		};
	}

	private OrderView view(StatusRow row) {
		IdempotencyKey key = this.request.key();
		if (key != null && row.used() != null && row.view().status() == OrderStatus.SAVED
				&& row.used().refuses(this.request.order().fingerprint())) {
			throw key.reused();
		}
		return row.view();
	}

	/** The pause before the next look, which is not after the deadline. */
	public Duration nextPause(long nowNanos) {
		long pause = Math.clamp(2 * (nowNanos - this.startNanos), FIRST_PAUSE_NANOS, MAX_PAUSE_NANOS);
		return Duration.ofNanos(Math.max(1, Math.min(pause, leftNanos(nowNanos))));
	}

	private long leftNanos(long nowNanos) {
		return this.request.prefer().maxWait().toNanos() - (nowNanos - this.startNanos);
	}

	/**
	 * The reply if waiting is not possible: too many requests wait, or PostgreSQL does
	 * not answer.
	 */
	public OrderReply notWaited() {
		return OrderReply.to(this.request, OrderReply.accepted(this.request.id()), false);
	}

}
