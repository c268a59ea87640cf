package dev.sluice.consumer.backend;

import java.time.Instant;
import java.util.UUID;

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
}
