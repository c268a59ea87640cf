package dev.sluice.gateway.core.web;

import java.time.Duration;
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
 * @param preference how the client prefers to be answered
 */
public record OrderRequest(ValidOrder order, @Nullable IdempotencyKey key, Preference preference) {

	public UUID id() {
		return this.order.id();
	}

	public Mode mode() {
		return this.preference.mode();
	}

	/** Whether the client waits for its queued order to be saved. */
	public boolean waitsForOutcome() {
		return this.preference.mode() == Mode.QUEUED && this.preference.maxWait().isPositive();
	}

	/**
	 * How the client prefers to be answered.
	 *
	 * @param prefer its {@code Prefer} header
	 * @param mode the mode of the order
	 * @param maxWait maximum time that a queued order's client waits for the outcome; 0 =
	 * it does not wait
	 */
	public record Preference(Prefer prefer, Mode mode, Duration maxWait) {
	}

}
