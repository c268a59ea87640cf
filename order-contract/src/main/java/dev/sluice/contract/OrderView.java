package dev.sluice.contract;

import java.time.Instant;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway tells of an order: the body of 201, 202 and {@code GET /orders/{id}}.
 *
 * @param id the order's id
 * @param status how far it has come
 * @param attempts deliveries begun; 0 while none is known
 * @param acceptedAt when a gateway took it; null where only the backend knows the order
 * @param updatedAt when the status was last changed
 * @param reason why it failed or is being retried; null otherwise
 */
@JsonInclude(Include.NON_NULL)
public record OrderView(UUID id, OrderStatus status, int attempts, @Nullable Instant acceptedAt, Instant updatedAt,
		@Nullable String reason) {
}
