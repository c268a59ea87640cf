package dev.sluice.contract;

import java.time.Instant;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * The value of a record of {@link Topics#ORDER_OUTCOMES}, whose key is the order's id:
 * what a delivery came to. The projection merges these with the records of
 * {@link Topics#ORDERS}, in whatever order they come.
 *
 * @param orderId the order's id
 * @param customerId whose order it is; {@code unknown} if an unreadable record does not
 * say
 * @param status {@link OrderStatus#RETRYING}, {@link OrderStatus#SAVED} or
 * {@link OrderStatus#FAILED}
 * @param attempts deliveries begun so far; 0 only for a record that was unreadable
 * @param at when the delivery ended, by the consumer's clock
 * @param reason why it was not saved; null when it was
 * @param order the order as JSON if it has failed and was readable, so that it can be
 * delivered again; else null
 */
@JsonInclude(Include.NON_NULL)
public record OrderOutcome(UUID orderId, String customerId, OrderStatus status, int attempts, Instant at,
		@Nullable String reason, @Nullable String order) {
}
