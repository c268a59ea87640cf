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
 * @param enabled whether this instance delivers orders. If false, it only runs the
 * projection; default true
 * @param concurrency maximum number of concurrent deliveries, and of connections to the
 * backend, for any number of partitions. The limit is lower until the backend has shown
 * that it can take more, and while it throttles or is overloaded; default 100
 * @param maxAttempts number of failed attempts after which an order becomes a dead
 * letter. Only attempts during which the backend saved other orders count, except for an
 * order that is rejected and alone; default 8
 * @param evidenceGap a failed attempt counts only if the backend saved other orders
 * before, during and after it, with pauses of at most this time; default 1 s
 * @param maxAge age since acceptance from which an order becomes a dead letter at its
 * next failed or throttled attempt, for any cause, even in an outage. 0 means no limit;
 * default 0
 * @param maxRetryAfter longest wait that a backend can request with {@code Retry-After};
 * default 1 min
 * @param initialBackoff upper bound of the wait after the first failure, doubled at each
 * further one. The wait is random, from 0 to the bound; default 500 ms
 * @param maxBackoff maximum of the upper bound of the wait; default 30 s
 * @param maxPending maximum number of records read and not finished. When it is reached,
 * fetching pauses. At least twice the concurrency; default 10,000
 * @param maxPendingSize maximum total size of the values of records read and not
 * finished, exceeded by at most one fetch; default 64 MB
 * @param commitInterval interval between commits of finished records. If a consumer is
 * killed, the next reader repeats the deliveries of its last interval; default 20 ms
 * @param rebalanceTimeout how long a rebalance waits for deliveries of partitions that
 * move to another consumer. The other consumer repeats deliveries that have not ended;
 * default 5 s
 * @param drainTimeout how long a shutdown waits for deliveries to end; default 20 s
 * @param groupId the consumer group; default {@code order-delivery}
 * @param ordering which orders are delivered in sequence; default {@code none}
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

	/** Which orders are delivered in sequence. */
	public enum Ordering {

		/** Only the records of the same order. */
		NONE,

		/**
		 * The orders of one customer, in the order in which they were accepted. Each
		 * waits until the previous one is saved or a dead letter, back-off included. The
		 * orders of other customers continue, as long as fewer than {@code max-pending}
		 * wait.
		 */
		KEY

	}

	/** Number of finished orders whose payload is remembered, about 3 MB. */
	public static final int REMEMBERED_PAYLOADS = 10_000;

	/** Maximum number of records of a poll: the default of kafka-clients. */
	private static final int MAX_BATCH = 500;

	@AssertTrue(message = "must be at least twice delivery.concurrency, or deliveries would wait for fetches")
	boolean isMaxPendingEnough() {
		return this.maxPending >= 2 * (long) this.concurrency;
	}

	@AssertTrue(message = "delivery.max-pending-size must be at least 1MB, the maximum size of a record")
	boolean isMaxPendingSizeEnough() {
		return this.maxPendingSize.compareTo(DataSize.ofMegabytes(1)) >= 0;
	}

	@AssertTrue(message = "delivery.max-backoff must not be less than delivery.initial-backoff")
	boolean isMaxBackoffEnough() {
		return this.maxBackoff.compareTo(this.initialBackoff) >= 0;
	}

	/**
	 * Maximum number of records of a poll. The loop polls only if there is room for that
	 * many, so this is at most a quarter of {@code max-pending}.
	 */
	public int batch() {
		return Math.clamp(this.maxPending / 4, 1, MAX_BATCH);
	}

}
