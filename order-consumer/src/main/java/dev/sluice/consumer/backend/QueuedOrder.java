package dev.sluice.consumer.backend;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * An order that waits for its delivery.
 *
 * @param id the order's id
 * @param customerId the customer of the order
 * @param acceptedAt when a gateway accepted it
 * @param traceparent the client's trace context, or null
 * @param body the JSON as the gateway wrote it; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and copying costs.
public record QueuedOrder(UUID id, String customerId, Instant acceptedAt, @Nullable String traceparent, byte[] body) {

	/**
	 * The payload's fingerprint; null unless the id is derived from an idempotency key
	 * (version 8), because no other id can occur with two payloads.
	 */
	public @Nullable Fingerprint fingerprint() {
		return (this.id.version() == 8) ? Fingerprint.ofJson(this.body) : null;
	}

}
