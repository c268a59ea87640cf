package dev.sluice.gateway.core.web;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import org.jspecify.annotations.Nullable;

/**
 * One request that waits for its queued order to be saved ({@code Prefer: wait=n}). It
 * polls the order's status with growing pauses, the last time at its deadline. Used by
 * one thread at a time.
 */
public final class OutcomeWait {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration MAX_PAUSE = Duration.ofMillis(500);

	private final OrderRequest request;

	private final long deadlineNanos;

	private Duration pause = FIRST_PAUSE;

	/**
	 * Begins to wait.
	 * @param request the request
	 * @param nowNanos the time, as {@link System#nanoTime()}
	 */
	public OutcomeWait(OrderRequest request, long nowNanos) {
		this.request = request;
		this.deadlineNanos = nowNanos + request.prefer().maxWait().toNanos();
	}

	public OrderRequest request() {
		return this.request;
	}

	public UUID id() {
		return this.request.id();
	}

	/**
	 * Evaluates one check of the order.
	 * @param order the order, empty if PostgreSQL does not know it yet
	 * @param nowNanos the time of the check
	 * @return the reply, null if the wait goes on
	 */
	public @Nullable OrderReply check(Optional<OrderView> order, long nowNanos) {
		OrderStatus status = order.map(OrderView::status).orElse(OrderStatus.ACCEPTED);
		return switch (status) {
			case SAVED -> reply(order.orElseThrow());
			case FAILED -> notSaved();
			case ACCEPTED, RETRYING -> (nowNanos - this.deadlineNanos >= 0) ? notSaved() : null;
		};
	}

	/** The pause before the next check, which is not after the deadline. */
	public Duration nextPause(long nowNanos) {
		long nanos = Math.max(1, Math.min(this.pause.toNanos(), this.deadlineNanos - nowNanos));
		Duration twice = this.pause.multipliedBy(2);
		this.pause = (twice.compareTo(MAX_PAUSE) < 0) ? twice : MAX_PAUSE;
		return Duration.ofNanos(nanos);
	}

	/**
	 * The reply if waiting is not possible: too many requests wait, or PostgreSQL does
	 * not answer.
	 */
	public OrderReply notWaited() {
		return OrderReply.to(this.request, OrderReply.accepted(id()), false);
	}

	private OrderReply notSaved() {
		return reply(OrderReply.accepted(id()));
	}

	private OrderReply reply(OrderView order) {
		return OrderReply.to(this.request, order, true);
	}

}
