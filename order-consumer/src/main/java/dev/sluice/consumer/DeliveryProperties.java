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
 * @param enabled whether this instance delivers; with false it only projects; default
 * true
 * @param concurrency maximum number of orders in delivery at once, and of connections to
 * the backend, for any number of partitions; fewer until the backend has shown that it
 * can take more, and while it throttles or is overloaded; default 100
 * @param maxAttempts failed attempts of an order before it becomes a dead letter,
 * counting only those during which the backend saved other orders; default 8
 * @param evidenceGap the longest pause between the orders that the backend saves before,
 * during and after a failed attempt for that attempt to count; default 1 s
 * @param maxAge the age since acceptance from which an order becomes a dead letter at its
 * next failed or throttled attempt, for any cause, also in an outage; 0, the default,
 * means no limit
 * @param maxRetryAfter the longest wait that a backend may ask for by
 * {@code Retry-After}; default 1 min
 * @param initialBackoff upper bound of the wait after the first failure, which doubles
 * with each; the wait is random between 0 and that bound; default 500 ms
 * @param maxBackoff the maximum of that upper bound; default 30 s
 * @param maxPending maximum number of records that are read and not finished; at the
 * bound fetching pauses; at least twice the concurrency; default 10,000
 * @param maxPendingSize maximum total size of their values, exceeded by at most one
 * fetch; default 64 MB
 * @param commitInterval how soon finished records are committed, also when no more
 * records arrive; the next reader repeats the deliveries of a killed consumer's last
 * interval; default 20 ms
 * @param rebalanceTimeout how long a rebalance waits for deliveries of partitions that
 * move to another consumer; the other consumer delivers the rest again; default 5 s
 * @param drainTimeout how long stopping waits for deliveries to end; default 20 s
 * @param groupId the consumer group; default {@code order-delivery}
 * @param ordering which orders are delivered in sequence; default {@code none}
 * @param source how orders are read from Kafka; default {@code partitions}
 * @param shareConsumers number of consumers of this instance with
 * {@code source=share-group}, at least 1 and at most the concurrency; use
 * {@code queue.partitions}: with fewer, some read two partitions alone, and with more a
 * kill can lose an order; together they hold up to ten times the concurrency, at most
 * {@code max-pending}, and each gets the next orders when it has finished all that it
 * holds; all instances together have at most what the brokers allow a group (200 by
 * default); default 12
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
		@DefaultValue("order-delivery") @NotBlank String groupId, @DefaultValue("none") @NotNull Ordering ordering,
		@DefaultValue("partitions") @NotNull Source source,
		@DefaultValue("12") @Min(1) @Max(1_000) int shareConsumers) {

	/** Which orders are delivered in sequence. */
	public enum Ordering {

		/** Only the records of the same order. */
		NONE,

		/**
		 * The orders of one customer, in the order in which they were accepted. Each
		 * waits until the one before is saved or a dead letter, also through its
		 * back-off. The orders of other customers go on, as long as fewer than
		 * {@code max-pending} wait.
		 */
		KEY

	}

	/** How orders are read from Kafka. */
	public enum Source {

		/** As a consumer group: each partition has one reader. */
		PARTITIONS,

		/**
		 * As a share group (KIP-932): every instance reads every partition. Requires
		 * brokers from 4.2 with share groups enabled, and {@code ordering=none}.
		 */
		SHARE_GROUP

	}

	/** Number of finished orders whose payload is remembered, about 3 MB. */
	public static final int REMEMBERED_PAYLOADS = 10_000;

	/** Maximum number of records of a poll: the default of kafka-clients. */
	private static final int LARGEST_BATCH = 500;

	/** How many times the concurrency a share group's consumers hold. */
	private static final int SHARED = 10;

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

	@AssertTrue(
			message = "delivery.source=share-group keeps no order: set delivery.ordering=none or delivery.source=partitions")
	boolean isOrderingPossible() {
		return this.source != Source.SHARE_GROUP || this.ordering == Ordering.NONE;
	}

	/** Number of share consumers: one that could hold no order would be of no use. */
	public int consumers() {
		return Math.min(this.shareConsumers, this.concurrency);
	}

	/**
	 * Maximum number of records that a share consumer holds. While one waits for its
	 * slowest, the others hold enough to keep the concurrency in use.
	 */
	public int shareBatch() {
		return Math.clamp(SHARED * (long) this.concurrency, 1, this.maxPending) / consumers();
	}

	/**
	 * Maximum number of records of a poll: small enough to keep the bound and not to
	 * idle.
	 */
	public int batch() {
		return Math.clamp(this.maxPending / 4, 1, LARGEST_BATCH);
	}

}
