package dev.sluice.gateway.core.web;

import java.util.UUID;

import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import org.jspecify.annotations.Nullable;

/**
 * A request to place an order, read and checked.
 *
 * @param order the order
 * @param key the client's idempotency key, or null
 * @param prefer how the client prefers to be answered
 */
public record OrderRequest(ValidOrder order, @Nullable IdempotencyKey key, Prefer prefer) {

	public UUID id() {
		return this.order.id();
	}

	public Mode mode() {
		return this.prefer.mode();
	}

	/** Whether the client waits for its queued order to be saved. */
	public boolean waitsForOutcome() {
		return this.prefer.maxWait().isPositive();
	}

}
