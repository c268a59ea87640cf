package dev.sluice.consumer.backend;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * An order as it waits to be delivered.
 *
 * @param id the order's id
 * @param customerId whose order it is
 * @param acceptedAt when a gateway took it
 * @param traceparent the client's trace context, or null
 * @param body the JSON as the gateway wrote it; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and copying costs.
public record QueuedOrder(UUID id, String customerId, Instant acceptedAt, @Nullable String traceparent, byte[] body) {
}
