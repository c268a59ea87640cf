package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.LostRecords.Reader;
import dev.sluice.consumer.offsets.PartitionProgress;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads {@code orders} with one consumer, starts a {@link Delivery} for each record and
 * commits finished records. Only the loop's thread uses the consumer, and it never waits
 * for a delivery, except for those of partitions that it gives back.
 * <p>
 * {@link PendingRecords} bounds the memory: while there is no room for another batch, the
 * partitions are paused and polling continues, so that the group keeps the consumer as a
 * member. A record is finished, cancelled or pending. The reader commits the lowest
 * unfinished offset of a partition and, in the metadata, the finished offsets above it,
 * so that no later reader delivers those again. {@link ReadPositions} detects records
 * that were deleted before they were read.
 */
final class OrderReader implements ConsumerRebalanceListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(OrderReader.class);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	/** How long to wait for interrupted deliveries to end. */
	static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The longest sleep. Records and {@link #wakeUp} end it early. While a record is
	 * pending, it is a commit interval at most: what ends wakes nobody.
	 */
	private static final Duration POLL = Duration.ofMillis(100);

	/** The longest stop, without the wait for deliveries. */
	static final Duration STOP_TIMEOUT = POLL.plus(ABANDON_TIMEOUT).plus(ReadPositions.TIMEOUT).plus(CLOSE_TIMEOUT);

	private final DeliveryProperties properties;

	private final @Nullable Uuid topicId;

	private final TopicWatch topics;

	private final LostRecords lost;

	private final Consumer<byte[], byte[]> kafka;

	private final ReadPositions positions;

	private final Delivery.Context context;

	private final PendingRecords pending;

	private final BooleanSupplier wanted;

	private final Time time;

	/** Set while there may be finished records that no commit includes. */
	private volatile boolean uncommitted;

	private final AssignedPartitions partitions;

	// The next two fields are confined to the loop's thread.
	private boolean committing;

	private long committedAtNanos;

	/** When the reader has last made progress. */
	private volatile long seenNanos;

	/** An unexpected exception that ended a delivery. */
	private volatile @Nullable Throwable bug;

	/**
	 * @param topicIds ids of the topics as they are now
	 * @param kafka the consumer, which this reader closes
	 * @param wanted whether the reader should continue
	 */
	OrderReader(DeliveryProperties properties, Map<String, Uuid> topicIds, TopicWatch topics, LostRecords lost,
			Consumer<byte[], byte[]> kafka, Delivery.Context context, PendingRecords pending, BooleanSupplier wanted) {
		this.properties = properties;
		this.topicId = topicIds.get(Topics.ORDERS);
		this.partitions = new AssignedPartitions(properties.ordering());
		this.topics = topics;
		this.lost = lost;
		this.kafka = kafka;
		this.positions = new ReadPositions(kafka, topicIds, Reader.DELIVERY, lost);
		this.context = context;
		this.pending = pending;
		this.wanted = wanted;
		this.time = context.time();
		this.seenNanos = this.time.nanoTime();
	}

	Set<TopicPartition> assignment() {
		return this.partitions.ids();
	}

	Duration sinceLastPoll() {
		return Duration.ofNanos(this.time.nanoTime() - this.seenNanos);
	}

	/** Ends the sleep. Called by any thread. */
	void wakeUp() {
		this.kafka.wakeup();
	}

	/**
	 * Reads until it is not wanted any more, or the topic was created again.
	 * @throws KafkaException if Kafka fails
	 * @throws IllegalStateException if a delivery ended with a bug
	 */
	void read() throws InterruptedException {
		this.kafka.subscribe(List.of(Topics.ORDERS), this);
		logger.info("Reading {} as group {}", Topics.ORDERS, this.properties.groupId());
		while (this.wanted.getAsBoolean()) {
			if (isAnotherTopic()) {
				// Commits nothing: the offsets belong to the deleted topic.
				return;
			}
			pollOnce();
			this.seenNanos = this.time.nanoTime();
		}
		release(this.partitions.ids(), this.properties.drainTimeout());
	}

	@Override
	public void close() {
		this.partitions.remove(this.partitions.ids());
		this.kafka.close(CloseOptions.timeout(CLOSE_TIMEOUT));
	}

	/**
	 * Whether the topic was created again. The consumer itself notices only after minutes
	 * and continues at its old offset.
	 */
	private boolean isAnotherTopic() {
		Uuid now = this.topics.ids().get(Topics.ORDERS);
		boolean another = now != null && !now.equals(this.topicId);
		if (another) {
			this.lost.topicDeleted(Reader.DELIVERY, Topics.ORDERS);
		}
		return another;
	}

	private void pollOnce() {
		if (this.bug != null) {
			throw new IllegalStateException("A delivery failed with a bug, and its offset can never be committed",
					this.bug);
		}
		pauseOrResume();
		for (ConsumerRecord<byte[], byte[]> record : poll()) {
			begin(record);
		}
		commitIfDue();
	}

	private boolean isFull() {
		return !this.pending.hasRoomFor(this.properties.batch());
	}

	private void pauseOrResume() {
		if (isFull()) {
			this.kafka.pause(this.kafka.assignment());
		}
		else if (!this.kafka.paused().isEmpty()) {
			this.kafka.resume(this.kafka.paused());
		}
	}

	private ConsumerRecords<byte[], byte[]> poll() {
		try {
			return this.kafka.poll(sleep());
		}
		catch (WakeupException ex) {
			// The loop must stop.
			return ConsumerRecords.empty();
		}
		catch (OffsetOutOfRangeException ex) {
			this.positions.skip(ex);
			return ConsumerRecords.empty();
		}
	}

	private Duration sleep() {
		Duration interval = this.properties.commitInterval();
		boolean idle = this.pending.records() == 0 && !this.uncommitted;
		if (idle || interval.compareTo(POLL) > 0) {
			return POLL;
		}
		Duration left = interval.minusNanos(this.time.nanoTime() - this.committedAtNanos);
		// Nothing is finished yet, or the commit before is in flight.
		return left.isPositive() ? left : interval;
	}

	private void begin(ConsumerRecord<byte[], byte[]> record) {
		AssignedPartitions.Partition partition = this.partitions
			.get(new TopicPartition(record.topic(), record.partition()));
		PartitionProgress<Delivery> progress = partition.progress();
		if (progress.skipIfFinished(record.offset())) {
			this.uncommitted = true;
			return;
		}
		int size = Math.max(record.serializedValueSize(), 0);
		Delivery delivery = new Delivery(record, partition.ticket(record), this.context, (finished, broken) -> {
			// If the partition was lost, this progress is not read any more.
			if (finished) {
				progress.finish(record.offset());
				this.uncommitted = true;
			}
			if (broken != null) {
				this.bug = broken;
			}
			this.pending.remove(size);
		});
		this.pending.add(size);
		progress.begin(record.offset(), delivery);
		delivery.start();
	}

	private void commitIfDue() {
		long now = this.time.nanoTime();
		if (!this.uncommitted || this.committing
				|| now - this.committedAtNanos < this.properties.commitInterval().toNanos()) {
			return;
		}
		this.committedAtNanos = now;
		this.uncommitted = false;
		Map<TopicPartition, OffsetAndMetadata> offsets = this.partitions.committable(this.partitions.ids());
		if (offsets.isEmpty()) {
			return;
		}
		this.committing = true;
		this.kafka.commitAsync(this.positions.named(offsets), (_, failure) -> {
			this.committing = false;
			if (failure == null) {
				this.partitions.committed(offsets);
			}
			else {
				this.uncommitted = true;
				logger.debug("A commit failed. The next one includes it: {}", failure.toString());
			}
		});
	}

	/**
	 * Gives partitions back: cancels the deliveries that wait, waits for the busy ones to
	 * end, and commits finished records. The next reader delivers the rest again.
	 */
	private void release(Collection<TopicPartition> of, Duration patience) throws InterruptedException {
		List<Delivery> deliveries = this.partitions.unfinished(of);
		deliveries.forEach(Delivery::cancel);
		awaitEnd(deliveries, patience);
		if (!this.wanted.getAsBoolean()) {
			List<Delivery> unfinished = this.partitions.unfinished(of);
			unfinished.forEach(Delivery::abandon);
			awaitEnd(unfinished, ABANDON_TIMEOUT);
		}
		Map<TopicPartition, OffsetAndMetadata> offsets = this.partitions.committable(of);
		if (!offsets.isEmpty()) {
			commitNow(offsets);
		}
		this.partitions.remove(of);
	}

	private void awaitEnd(List<Delivery> deliveries, Duration patience) throws InterruptedException {
		long deadline = this.time.nanoTime() + patience.toNanos();
		for (Delivery delivery : deliveries) {
			delivery.awaitEnd(Duration.ofNanos(Math.max(deadline - this.time.nanoTime(), 0)));
		}
	}

	private void commitNow(Map<TopicPartition, OffsetAndMetadata> offsets) {
		try {
			this.positions.commit(offsets);
		}
		catch (InterruptException ex) {
			throw ex;
		}
		catch (KafkaException ex) {
			logger.warn(
					"The last commit of partitions that are given back failed. Deliveries of up to {} will be repeated: {}",
					this.properties.commitInterval(), ex.toString());
		}
	}

	/**
	 * The consumer calls it within a poll. If Kafka does not answer, the exception ends
	 * the reader: no partition is read before its position is checked.
	 */
	@Override
	public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
		if (isFull()) {
			this.kafka.pause(assigned);
		}
		this.partitions.add(assigned, this.positions.begin(assigned));
	}

	/** The consumer calls it within a poll or its close. */
	@Override
	public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
		logger.info("Partitions revoked: {}", revoked);
		try {
			release(revoked, this.properties.rebalanceTimeout());
		}
		catch (InterruptedException ex) {
			throw new InterruptException(ex);
		}
	}

	@Override
	public void onPartitionsLost(Collection<TopicPartition> lost) {
		logger.warn("Partitions lost: {}", lost);
		this.partitions.remove(lost);
	}

}
