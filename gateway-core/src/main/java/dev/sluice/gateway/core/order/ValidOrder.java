package dev.sluice.gateway.core.order;

import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import org.jspecify.annotations.Nullable;

/**
 * An order that was read and found valid, with its id.
 *
 * @param id the order's id
 * @param order the order
 * @param json its canonical bytes
 * @param fingerprint the bytes' fingerprint if the id is derived from an idempotency key,
 * else null
 * @param traceparent the client's trace context, or null
 */
public record ValidOrder(UUID id, Order order, byte[] json, @Nullable Fingerprint fingerprint,
		@Nullable String traceparent) {

	public String customerId() {
		return this.order.customerId();
	}

}
