package dev.sluice.consumer;

import java.time.Duration;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How queued orders are delivered.
 *
 * @param enabled whether this instance delivers; false leaves the projection alone;
 * default true
 * @param concurrency orders in delivery at once at most, and connections to the backend,
 * whatever the number of partitions; fewer are in delivery while the backend throttles;
 * default 100
 * @param maxAttempts failed attempts of an order before it becomes a dead letter,
 * counting only those during which the backend saved other orders; default 8
 * @param evidenceGap the longest pause between the orders that the backend saves before,
 * during and after a failed attempt for that attempt to count; default 1 s
 * @param maxAge the age since its acceptance from which an order becomes a dead letter at
 * its next failed or throttled attempt, whatever the cause, also in an outage; 0 = at no
 * age, the default
 * @param maxRetryAfter the longest wait that a backend may ask for by
 * {@code Retry-After}; default 1 min
 * @param initialBackoff upper bound of the wait after the first failure, which doubles
 * with each; the wait is drawn evenly between 0 and it; default 500 ms
 * @param maxBackoff what that upper bound grows to at most; default 30 s
 * @param maxPending records read and not finished at once; at the bound fetching pauses;
 * at least twice the concurrency; default 10,000
 * @param maxPendingSize the size of their values together; exceeded by at most one fetch;
 * default 64 MB
 * @param commitInterval time within which what has finished is committed, also when no
 * more records come: that long before its end, a killed consumer's deliveries are
 * repeated; default 20 ms
 * @param rebalanceTimeout how long partitions that move to another consumer wait for
 * deliveries to end; what has not ended is delivered again there; default 5 s
 * @param drainTimeout how long stopping waits for deliveries to end; default 20 s
 * @param groupId the consumer group; default {@code order-delivery}
 * @param ordering which orders wait for which; default {@code none}
 */
@ConfigurationProperties("delivery")
@Validated
public record DeliveryProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("100") @Min(1) @Max(100_000) int concurrency, @DefaultValue("8") @Min(1) int maxAttempts,
		@DefaultValue("1s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration evidenceGap,
		@DefaultValue("0s") @DurationMin Duration maxAge,
		@DefaultValue("1m") @DurationMin @DurationMax(hours = 1) Duration maxRetryAfter,
		@DefaultValue("500ms") @DurationMin(millis = 1) Duration initialBackoff,
		@DefaultValue("30s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration maxBackoff,
		@DefaultValue("10000") @Min(2) @Max(10_000_000) int maxPending, @DefaultValue("64MB") DataSize maxPendingSize,
		@DefaultValue("20ms") @DurationMin(millis = 10) Duration commitInterval,
		@DefaultValue("5s") @DurationMin @DurationMax(minutes = 1) Duration rebalanceTimeout,
		@DefaultValue("20s") @DurationMin @DurationMax(minutes = 4) Duration drainTimeout,
		@DefaultValue("order-delivery") @NotBlank String groupId, @DefaultValue("none") @NotNull Ordering ordering) {

	/** Which orders wait for which. */
	public enum Ordering {

		/** None for any other, but for the records of one order. */
		NONE,

		/**
		 * Those with the same key, which is the customer, for each other, in the order in
		 * which they were accepted: each until the one before is saved or a dead letter,
		 * also through its back-off. Those of others go on, as long as fewer than
		 * {@code max-pending} are waiting.
		 */
		KEY

	}

	/** Ids of finished orders whose payload is remembered. About 3 MB. */
	public static final int REMEMBERED_PAYLOADS = 10_000;

	/** The most that one poll returns: what kafka-clients has by default. */
	private static final int LARGEST_BATCH = 500;

	@AssertTrue(message = "must be at least twice delivery.concurrency, or deliveries would wait for fetches")
	boolean isMaxPendingEnough() {
		return this.maxPending >= 2 * (long) this.concurrency;
	}

	@AssertTrue(message = "delivery.max-pending-size must be at least 1MB, which a record may have")
	boolean isMaxPendingSizeEnough() {
		return this.maxPendingSize.compareTo(DataSize.ofMegabytes(1)) >= 0;
	}

	@AssertTrue(message = "delivery.max-backoff must not be less than delivery.initial-backoff")
	boolean isMaxBackoffEnough() {
		return this.maxBackoff.compareTo(this.initialBackoff) >= 0;
	}

	/** Records of one poll: small enough that the bound is kept without idling. */
	public int batch() {
		return Math.clamp(this.maxPending / 4, 1, LARGEST_BATCH);
	}

}
