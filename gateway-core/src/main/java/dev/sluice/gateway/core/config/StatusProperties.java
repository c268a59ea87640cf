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
 * @param timeout maximum time to wait for PostgreSQL, and again for Kafka and the backend
 * together; default 1 s
 * @param recentOrders maximum number of orders in memory that are in Kafka and that the
 * status projection has not reached yet, about 250 bytes each. When there are more, the
 * oldest twentieth is dropped, and until the projection has passed it a look-up that
 * finds nothing gets 503; default 100,000
 * @param projectionGroup the consumer group of the status projection:
 * {@code projection.group-id} of order-consumer; default {@code order-status}
 * @param keyLookupTimeout maximum time that a queued order waits for the look-up of its
 * idempotency key: half of it for Kafka, half for PostgreSQL. Then the order is accepted.
 * A sync order waits twice {@code status.timeout} for each and is then refused with 503.
 * 0 = no look-up, for a gateway without Kafka and PostgreSQL: only the backend knows what
 * a key was used for; default 250 ms
 */
@ConfigurationProperties("status")
@Validated
public record StatusProperties(@DefaultValue("1s") @DurationMin(millis = 1) Duration timeout,
		@DefaultValue("100000") @Min(1) @Max(100_000_000) int recentOrders,
		@DefaultValue("order-status") @NotBlank String projectionGroup,
		@DefaultValue("250ms") @DurationMin Duration keyLookupTimeout) {

	/** When a look-up of a status that begins now must end. */
	public long deadlineNanos() {
		return System.nanoTime() + 2 * this.timeout.toNanos();
	}

	/** The time limit of one source: at most {@code status.timeout}. */
	public Duration left(long deadlineNanos) {
		long leftNanos = Math.min(deadlineNanos - System.nanoTime(), this.timeout.toNanos());
		return Duration.ofNanos(Math.max(1, leftNanos));
	}

	/**
	 * Maximum time that a key look-up waits for Kafka, and again for PostgreSQL. Then a
	 * queued order is accepted, and a sync order, which waits longer, is refused.
	 */
	public Duration keyLookupLimit(Mode mode) {
		return switch (mode) {
			case QUEUED -> this.keyLookupTimeout.dividedBy(2);
			case SYNC -> this.timeout.multipliedBy(2);
		};
	}

}
