package dev.sluice.contract;

import java.time.Instant;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * An order as clients see it: the body of 201, 202 and {@code GET /orders/{id}}.
 *
 * @param id the order's id
 * @param status how far it has come
 * @param attempts number of deliveries started; 0 while none is known
 * @param acceptedAt when a gateway accepted it; null if only the backend knows the order,
 * and in a 202, whose bytes are the same for each repeat of the request
 * @param updatedAt when the status was last changed; null in a 202
 * @param reason why it failed or is being retried; null otherwise
 */
@JsonInclude(Include.NON_NULL)
public record OrderView(UUID id, OrderStatus status, int attempts, @Nullable Instant acceptedAt,
		@Nullable Instant updatedAt, @Nullable String reason) {
}
