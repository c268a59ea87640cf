package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.contract.Topics;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads {@code orders} as members of a share group (KIP-932), and accepts each record
 * when its {@link Delivery} has finished it. Every consumer has one thread, which alone
 * uses it. A consumer gets nothing more before it has accepted all that it holds, so
 * there are several, which together hold more than is delivered at once.
 * <p>
 * What a consumer holds is locked for a time (30 s by default). At half of it, the
 * consumer renews the locks of what is not finished, for any number of times. While the
 * circuit breaker is open, those who hold nothing do not poll. A record that a consumer
 * does not accept, because it stops, dies or loses the lock, goes to another one, and the
 * brokers count that. At their limit they archive a record without a word, so a record
 * that has used half of it is placed again at the end of {@code orders} instead of being
 * delivered: a count of consumers that died must not decide about an order.
 */
final class ShareSource extends DeliverySource {

	private static final Logger logger = LoggerFactory.getLogger(ShareSource.class);

	/** The shortest that brokers allow by default, should they not say. */
	private static final int MIN_LOCK_MILLIS = 15_000;

	/** How soon a consumer that a full group refused tries again. */
	static final Duration REFUSED_PAUSE = Duration.ofSeconds(30);

	/** Consumers that a full group refused and has not admitted since. */
	private final Set<Reader> refused = new HashSet<>();

	private final Group group;

	private final Supplier<ShareConsumer<byte[], byte[]>> consumers;

	private final Delivery.Context context;

	private final ReliablePublisher publisher;

	private final PendingRecords pending;

	/** How often a record is delivered before it is archived. */
	private volatile int deliveryLimit;

	/**
	 * @param threads makes the thread of each consumer
	 */
	ShareSource(DeliveryProperties properties, Group group, Supplier<ShareConsumer<byte[], byte[]>> consumers,
			Delivery.Context context, ReliablePublisher publisher, PendingRecords pending, ThreadFactory threads) {
		super(properties, context.time(), threads, properties.consumers());
		this.group = group;
		this.consumers = consumers;
		this.context = context;
		this.publisher = publisher;
		this.pending = pending;
	}

	/** The share group as the brokers have it. */
	interface Group {

		/**
		 * Waits until the topics exist, and prepares the group.
		 * @return how often a record is delivered before it is archived
		 * @throws IllegalStateException if the brokers have no share groups
		 */
		int prepare() throws InterruptedException;

	}

	@Override
	void prepare() throws InterruptedException {
		this.deliveryLimit = this.group.prepare();
		logger.warn(
				"Reading {} as share group {}, which can lose an order when a consumer is killed: a broker archives a record "
						+ "after {} deliveries, and one kill may count as several. delivery.source=partitions loses none",
				Topics.ORDERS, this.properties.groupId(), this.deliveryLimit);
	}

	@Override
	Reader reader() {
		return new Worker();
	}

	@Override
	@Nullable Duration pauseAfter(Reader reader, KafkaException failure) {
		if (!(failure instanceof GroupMaxSizeReachedException)) {
			return null;
		}
		synchronized (this.refused) {
			if (this.refused.isEmpty()) {
				logger.error(
						"Share group {} is full and refuses consumers of this instance, which has {}. Run fewer instances, "
								+ "set delivery.share-consumers lower, or raise group.share.max.size of the brokers. "
								+ "Refused consumers try again every {} s: {}",
						this.properties.groupId(), this.properties.consumers(), REFUSED_PAUSE.toSeconds(),
						failure.getMessage());
			}
			this.refused.add(reader);
		}
		return REFUSED_PAUSE;
	}

	private void polled(Reader reader, ShareConsumer<?, ?> kafka) {
		synchronized (this.refused) {
			if (this.refused.contains(reader) && isMember(kafka)) {
				this.refused.remove(reader);
				if (this.refused.isEmpty()) {
					logger.info("Share group {} refuses no consumer of this instance any more",
							this.properties.groupId());
				}
			}
		}
	}

	/**
	 * Whether the group has admitted a consumer. Only a member is assigned partitions and
	 * fetches; a poll also returns if no broker answers.
	 */
	static boolean isMember(ShareConsumer<?, ?> kafka) {
		return kafka.metrics()
			.entrySet()
			.stream()
			.anyMatch((metric) -> metric.getKey().name().equals("fetch-total")
					&& metric.getValue().metricValue() instanceof Double answered && answered > 0);
	}

	@Override
	Map<String, Object> details() {
		return Map.of("consumers", connected());
	}

	/** Where a record is in the topic. */
	private record Position(TopicPartition partition, long offset) {

		static Position of(ConsumerRecord<?, ?> record) {
			return new Position(new TopicPartition(record.topic(), record.partition()), record.offset());
		}

	}

	/** One consumer. All but the volatile fields is confined to its thread. */
	private final class Worker extends Reader {

		/** What the consumer has a lock of. */
		private final Map<Position, Held> held = new HashMap<>();

		/** Deliveries that have ended since they were looked at. Any thread adds. */
		private final Queue<Held> ended = new ConcurrentLinkedQueue<>();

		private volatile CompletableFuture<Void> ending = new CompletableFuture<>();

		/** Whether records are acknowledged that no commit includes. */
		private boolean uncommitted;

		private long committedNanos;

		private long lockedNanos;

		@Override
		void read() throws InterruptedException {
			ShareConsumer<byte[], byte[]> kafka = ShareSource.this.consumers.get();
			try {
				connected();
				kafka.subscribe(List.of(Topics.ORDERS));
				while (isWanted()) {
					if (isOutage()) {
						kafka.commitAsync();
						ShareSource.this.time.sleep(MAX_POLL);
						seen();
					}
					else {
						receive(kafka.poll(MAX_POLL));
						polled(this, kafka);
						work(kafka, ShareSource.this::isWanted);
					}
				}
				drain(kafka);
			}
			finally {
				this.held.values().forEach(Held::cancel);
				this.held.clear();
				kafka.close(CLOSE_TIMEOUT);
			}
		}

		/** A poll is short, and only its thread may use the consumer. */
		@Override
		void endPoll() {
			this.ending.complete(null);
		}

		/** Whether more orders would only wait. If none waits, one has to be tried. */
		private boolean isOutage() {
			return ShareSource.this.context.limiter().circuit() == State.OPEN && ShareSource.this.pending.records() > 0;
		}

		private void drain(ShareConsumer<byte[], byte[]> kafka) throws InterruptedException {
			this.held.values().forEach(Held::cancel);
			work(kafka, before(ShareSource.this.properties.drainTimeout()));
			this.held.values().forEach(Held::abandon);
			work(kafka, before(ABANDON_TIMEOUT));
			kafka.commitSync(COMMIT_TIMEOUT);
		}

		private BooleanSupplier before(Duration timeout) {
			long deadline = ShareSource.this.time.nanoTime() + timeout.toNanos();
			return () -> ShareSource.this.time.nanoTime() - deadline < 0;
		}

		/** Begins what is new, and forgets what the consumer has lost the lock of. */
		private void receive(ConsumerRecords<byte[], byte[]> records) {
			this.lockedNanos = ShareSource.this.time.nanoTime();
			seen();
			// The poll has sent what was accepted.
			this.uncommitted = false;
			Set<Position> received = new HashSet<>();
			records.forEach((record) -> received.add(Position.of(record)));
			this.held.values().removeIf((lost) -> {
				boolean gone = !received.contains(Position.of(lost.record));
				if (gone) {
					lost.cancel();
				}
				return gone;
			});
			for (ConsumerRecord<byte[], byte[]> record : records) {
				Position position = Position.of(record);
				if (!this.held.containsKey(position)) {
					Held begun = new Held(record, this);
					this.held.put(position, begun);
					begun.start(ShareSource.this.deliveryLimit);
				}
			}
		}

		/** Acknowledges what ends, and keeps the locks of the rest. */
		private void work(ShareConsumer<byte[], byte[]> kafka, BooleanSupplier wanted) throws InterruptedException {
			long renewNanos = Duration.ofMillis(kafka.acquisitionLockTimeoutMs().orElse(MIN_LOCK_MILLIS)).toNanos() / 2;
			while (true) {
				// Set before the check: what ends from now on completes it.
				CompletableFuture<Void> next = new CompletableFuture<>();
				this.ending = next;
				acknowledge(kafka);
				if (this.held.isEmpty() || !wanted.getAsBoolean()) {
					// The next poll or commit includes what was acknowledged.
					return;
				}
				long now = ShareSource.this.time.nanoTime();
				seen();
				if (now - this.lockedNanos >= renewNanos) {
					renew(kafka);
					continue;
				}
				long commitNanos = ShareSource.this.properties.commitInterval().toNanos() - (now - this.committedNanos);
				if (this.uncommitted && commitNanos <= 0) {
					kafka.commitAsync();
					this.uncommitted = false;
					this.committedNanos = now;
				}
				long untilNanos = Math.min(MAX_POLL.toNanos(), renewNanos - (now - this.lockedNanos));
				ShareSource.this.time.await(next,
						Duration.ofNanos(this.uncommitted ? Math.min(untilNanos, commitNanos) : untilNanos));
			}
		}

		private void acknowledge(ShareConsumer<byte[], byte[]> kafka) {
			for (Held end = this.ended.poll(); end != null; end = this.ended.poll()) {
				if (end.bug != null) {
					throw new IllegalStateException(
							"A delivery failed with a bug, and its record can never be accepted", end.bug);
				}
				if (this.held.remove(Position.of(end.record), end)) {
					kafka.acknowledge(end.record, end.finished ? AcknowledgeType.ACCEPT : AcknowledgeType.RELEASE);
					this.uncommitted = true;
				}
			}
		}

		/**
		 * Renews all locks. The client then hands out the records again. Those that are
		 * missing have gone to another consumer.
		 */
		private void renew(ShareConsumer<byte[], byte[]> kafka) {
			// On its own: of a request that also renews, a broker may refuse all.
			kafka.commitSync(COMMIT_TIMEOUT);
			this.held.values().forEach((one) -> kafka.acknowledge(one.record, AcknowledgeType.RENEW));
			kafka.commitSync(COMMIT_TIMEOUT);
			receive(kafka.poll(MAX_POLL));
		}

	}

	/** A record that a consumer has the lock of, and what becomes of it. */
	private final class Held {

		private final ConsumerRecord<byte[], byte[]> record;

		private final Worker owner;

		private final int size;

		private volatile @Nullable Delivery delivery;

		private volatile boolean cancelled;

		private volatile boolean finished;

		private volatile @Nullable Throwable bug;

		Held(ConsumerRecord<byte[], byte[]> record, Worker owner) {
			this.record = record;
			this.owner = owner;
			this.size = Math.max(record.serializedValueSize(), 0);
		}

		void start(int deliveryLimit) {
			ShareSource.this.pending.add(this.size);
			int deliveries = this.record.deliveryCount().orElse((short) 1);
			if (deliveries > Math.max(deliveryLimit / 2, 1)) {
				ShareSource.this.context.threads().newThread(() -> placeAgain(deliveries, deliveryLimit)).start();
				return;
			}
			deliver();
		}

		private void deliver() {
			Delivery begun = new Delivery(this.record, new KeySequencer().ticket(null), ShareSource.this.context,
					this::ended);
			this.delivery = begun;
			begun.start();
			if (this.cancelled) {
				begun.cancel();
			}
		}

		private void placeAgain(int deliveries, int limit) {
			boolean placed = false;
			Throwable failure = null;
			try {
				placed = ShareSource.this.publisher.publish(new ProducerRecord<>(this.record.topic(), null,
						this.record.key(), this.record.value(), this.record.headers()), () -> !this.cancelled);
				if (placed) {
					logger.warn(
							"The record at offset {} of {}-{} is delivered for the {}th time and would be archived after the "
									+ "{}th. It was placed again at the end of the topic",
							this.record.offset(), this.record.topic(), this.record.partition(), deliveries, limit);
				}
			}
			catch (InterruptedException ex) {
				// Cancelled. The thread ends here, so the interrupt flag is not restored.
			}
			catch (RecordTooLargeException ex) {
				logger
					.warn("The record at offset {} of {}-{} is delivered for the {}th time and will be archived after the {}th. "
							+ "It cannot be placed again because max.message.bytes of the topic is too low; raise it: {}",
							this.record.offset(), this.record.topic(), this.record.partition(), deliveries, limit,
							ex.getMessage());
				deliver();
				return;
			}
			catch (RuntimeException | Error ex) {
				failure = ex;
			}
			ended(placed, failure);
		}

		private void ended(boolean finished, @Nullable Throwable bug) {
			this.finished = finished;
			this.bug = bug;
			ShareSource.this.pending.remove(this.size);
			this.owner.ended.add(this);
			this.owner.ending.complete(null);
		}

		void cancel() {
			this.cancelled = true;
			Delivery begun = this.delivery;
			if (begun != null) {
				begun.cancel();
			}
		}

		void abandon() {
			Delivery begun = this.delivery;
			if (begun != null) {
				begun.abandon();
			}
		}

	}

}
