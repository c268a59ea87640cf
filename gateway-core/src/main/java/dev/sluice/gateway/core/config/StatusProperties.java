package dev.sluice.gateway.core.config;

import java.time.Duration;

import dev.sluice.gateway.core.order.Mode;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of the look-up of an order's status.
 *
 * @param timeout maximum time for PostgreSQL, and again for Kafka and the backend
 * together; default 1 s
 * @param recentOrders maximum number of orders kept in memory that Kafka has and the
 * status projection has not reached yet, about 250 bytes each. When there are more, the
 * oldest are dropped, and orders that are not known are answered 503 until the projection
 * has passed them; default 100,000
 * @param projectionGroup the consumer group of the status projection:
 * {@code projection.group-id} of order-consumer; default {@code order-status}
 * @param keyLookupTimeout how long a queued order with an idempotency key waits to learn
 * whether the key was used before: half of it for Kafka, half for PostgreSQL; then it is
 * accepted. A sync order waits {@code status.timeout} for each; then it is refused with
 * 503. 0 = keys are not looked up, for a gateway without Kafka and PostgreSQL: the
 * backend alone tells what a key was used for; default 250 ms
 */
@ConfigurationProperties("status")
@Validated
public record StatusProperties(@DefaultValue("1s") @DurationMin(millis = 1) Duration timeout,
		@DefaultValue("100000") @Min(1) @Max(100_000_000) int recentOrders,
		@DefaultValue("order-status") @NotBlank String projectionGroup,
		@DefaultValue("250ms") @DurationMin Duration keyLookupTimeout) {

	/**
	 * How long a key look-up waits for Kafka, and again for PostgreSQL. Then a queued
	 * order is accepted, and a synchronous one, which waits longer, is refused.
	 */
	public Duration keyLookupLimit(Mode mode) {
		return switch (mode) {
			case QUEUED -> this.keyLookupTimeout.dividedBy(2);
			case SYNC -> this.timeout;
		};
	}

}
