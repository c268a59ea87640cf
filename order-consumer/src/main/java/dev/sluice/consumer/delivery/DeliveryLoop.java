package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.offsets.CommitMetadata;
import dev.sluice.consumer.offsets.FinishedOffsets;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.LostRecords.Gap;
import dev.sluice.consumer.offsets.PartitionProgress;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
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
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.core.ConsumerFactory;

/**
 * Reads {@code orders}, starts a {@link Delivery} for each record and commits finished
 * records. It runs on one platform thread. Only this thread uses the consumer, and it
 * never waits for a delivery, except for those of partitions that it gives back.
 * <p>
 * {@link PendingRecords} bounds the memory: while there is no room for another batch, the
 * partitions are paused and polling continues, so that the group keeps the consumer as a
 * member. A record is finished, cancelled or pending. The loop commits the lowest
 * unfinished offset of a partition and, in the metadata, the finished offsets above it,
 * so that no later reader delivers those again. After a Kafka error the loop restarts
 * from the committed offsets. When the topic was deleted and created again, the loop
 * restarts from the beginning of the new one. {@link ReadPositions} detects records that
 * were deleted before they were read.
 */
public final class DeliveryLoop extends DeliverySource {

	private static final Logger logger = LoggerFactory.getLogger(DeliveryLoop.class);

	private static final String READER = "delivery";

	/** The sleep of an idle loop. Records and {@link #wakeUp} end it early. */
	private static final Duration POLL = Duration.ofMillis(100);

	private final TopicWatch topics;

	private final LostRecords lost;

	private final ConsumerFactory<byte[], byte[]> consumers;

	private final Delivery.Context context;

	private final PendingRecords pending;

	/** Set while the partitions are paused because {@link PendingRecords} is full. */
	private final AtomicBoolean full = new AtomicBoolean();

	/** Set while there may be finished records that no commit includes. */
	private volatile boolean uncommitted;

	/** Set while the loop sleeps and has nothing to commit. */
	private final AtomicBoolean idle = new AtomicBoolean();

	// The fields below, up to committedAtNanos, are confined to the loop's thread.
	private final Map<TopicPartition, PartitionProgress<Delivery>> progress = new HashMap<>();

	private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();

	private final Map<TopicPartition, KeySequencer> sequencers = new HashMap<>();

	/**
	 * Finished offsets from the commits of partitions that no record was read from yet.
	 */
	private final Map<TopicPartition, FinishedOffsets> earlier = new HashMap<>();

	/** Ids of the topics that the consumer reads. */
	private Map<String, Uuid> topicIds = Map.of();

	private boolean committing;

	private long committedAtNanos;

	private volatile int partitions;

	private volatile Set<TopicPartition> assignment = Set.of();

	private volatile @Nullable Consumer<byte[], byte[]> consumer;

	/** An unexpected exception that ended a delivery. */
	private volatile @Nullable Throwable bug;

	/**
	 * @param threads creates the loop's thread
	 */
	DeliveryLoop(DeliveryProperties properties, TopicWatch topics, LostRecords lost,
			ConsumerFactory<byte[], byte[]> consumers, Delivery.Context context, PendingRecords pending,
			ThreadFactory threads) {
		super(properties, context.time(), threads, 1);
		this.topics = topics;
		this.lost = lost;
		lost.expect(READER, Topics.ORDERS);
		this.consumers = consumers;
		this.context = context;
		this.pending = pending;
	}

	@Override
	void prepare() throws InterruptedException {
		this.topicIds = this.topics.await().ids();
	}

	@Override
	Reader reader() {
		return new Loop();
	}

	/** Number of assigned partitions that records have been read from. */
	int partitions() {
		return this.partitions;
	}

	@Override
	Map<String, Object> details() {
		return Map.of("partitions", this.partitions);
	}

	/** Whether the loop reads nothing because too many records are pending. */
	boolean isPaused() {
		return this.full.get();
	}

	/** Partitions that are assigned to this instance. */
	Set<TopicPartition> assignment() {
		return this.assignment;
	}

	private void consume(Loop loop) throws InterruptedException {
		Properties overrides = new Properties();
		overrides.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(this.properties.batch()));
		// ReadPositions decides where to read from: a reset would skip lost orders
		// silently.
		overrides.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
		Consumer<byte[], byte[]> kafka = this.consumers.createConsumer(this.properties.groupId(), "order-delivery",
				null, overrides);
		// The last commit of the previous consumer may be unanswered.
		this.committing = false;
		try {
			this.consumer = kafka;
			loop.connected();
			ReadPositions positions = new ReadPositions(kafka, this.topicIds, ReadPositions.Start.AT_ZERO);
			kafka.subscribe(List.of(Topics.ORDERS), new Rebalance(kafka, positions));
			logger.info("Reading {} as group {}", Topics.ORDERS, this.properties.groupId());
			while (isWanted()) {
				if (isAnotherTopic()) {
					// Commits nothing: the offsets belong to the deleted topic.
					return;
				}
				pollOnce(kafka, positions);
				loop.seen();
			}
			release(kafka, List.copyOf(this.progress.keySet()), this.properties.drainTimeout());
		}
		finally {
			this.consumer = null;
			drop(List.copyOf(this.progress.keySet()));
			this.earlier.clear();
			this.assignment = Set.of();
			kafka.close(CloseOptions.timeout(CLOSE_TIMEOUT));
		}
	}

	/**
	 * Whether the topic was created again. The consumer itself notices only after minutes
	 * and continues at its old offset.
	 */
	private boolean isAnotherTopic() {
		Uuid now = this.topics.state().ids().get(Topics.ORDERS);
		boolean another = now != null && !now.equals(this.topicIds.get(Topics.ORDERS));
		if (another) {
			this.lost.topicDeleted(READER, Topics.ORDERS);
		}
		return another;
	}

	private void pollOnce(Consumer<byte[], byte[]> kafka, ReadPositions positions) {
		if (this.bug != null) {
			throw new IllegalStateException("A delivery failed with a bug, and its offset can never be committed",
					this.bug);
		}
		pauseOrResume(kafka);
		for (ConsumerRecord<byte[], byte[]> record : poll(kafka, positions)) {
			begin(record);
		}
		commitIfDue(kafka);
		this.partitions = this.progress.size();
	}

	private void pauseOrResume(Consumer<byte[], byte[]> kafka) {
		if (!this.pending.hasRoomFor(this.properties.batch())) {
			this.full.set(true);
			// A delivery that ended before the flag was set did not wake the loop.
			if (!this.pending.hasRoomFor(this.properties.batch())) {
				kafka.pause(kafka.assignment());
				return;
			}
		}
		this.full.set(false);
		if (!kafka.paused().isEmpty()) {
			kafka.resume(kafka.paused());
		}
	}

	private ConsumerRecords<byte[], byte[]> poll(Consumer<byte[], byte[]> kafka, ReadPositions positions) {
		try {
			this.idle.set(true);
			// Read after idle is set: a delivery that finishes from now on wakes the
			// loop.
			if (!this.uncommitted) {
				return kafka.poll(POLL);
			}
			this.idle.set(false);
			return kafka.poll(untilCommit());
		}
		catch (WakeupException ex) {
			// There is room again, there is something to commit, or the loop must stop.
			return ConsumerRecords.empty();
		}
		catch (OffsetOutOfRangeException ex) {
			ex.offsetOutOfRangePartitions().forEach((partition, position) -> {
				// A position beyond the end is no gap: the restart finds a valid one.
				Gap gap = positions.gapBelow(partition, position, Long.MAX_VALUE).orElseThrow(() -> ex);
				this.lost.lost(READER, gap, gap.size());
				kafka.seek(partition, gap.to());
			});
			return ConsumerRecords.empty();
		}
		finally {
			this.idle.set(false);
		}
	}

	private Duration untilCommit() {
		Duration interval = this.properties.commitInterval();
		if (interval.compareTo(POLL) > 0) {
			return POLL;
		}
		Duration left = interval.minusNanos(this.time.nanoTime() - this.committedAtNanos);
		// A commit is due but the one before is in flight: the poll reads its answer.
		return left.isPositive() ? left : interval;
	}

	private void begin(ConsumerRecord<byte[], byte[]> record) {
		TopicPartition partition = new TopicPartition(record.topic(), record.partition());
		PartitionProgress<Delivery> partitionProgress = this.progress.computeIfAbsent(partition,
				(first) -> new PartitionProgress<>(record.offset(), earlier(first)));
		if (partitionProgress.skipIfFinished(record.offset())) {
			return;
		}
		int size = Math.max(record.serializedValueSize(), 0);
		Delivery delivery = new Delivery(record, ticket(partition, record), this.context, (finished, broken) -> {
			// If the partition was lost, this progress is not read any more.
			if (finished) {
				partitionProgress.finish(record.offset());
				finished();
			}
			if (broken != null) {
				this.bug = broken;
			}
			ended(size);
		});
		this.pending.add(size);
		partitionProgress.begin(record.offset(), delivery);
		delivery.start();
	}

	private KeySequencer.Ticket ticket(TopicPartition partition, ConsumerRecord<byte[], byte[]> record) {
		KeySequencer sequencer = this.sequencers.computeIfAbsent(partition, (_) -> new KeySequencer());
		return switch (this.properties.ordering()) {
			case NONE -> sequencer.ticket(id(record));
			// The records of one order have one key.
			case KEY -> sequencer.ticket(record.key());
		};
	}

	/** The order's id as the gateways write it; null if the record has none. */
	private static byte @Nullable [] id(ConsumerRecord<byte[], byte[]> record) {
		Header header = record.headers().lastHeader(OrderHeaders.ID);
		return (header != null) ? header.value() : null;
	}

	private FinishedOffsets earlier(TopicPartition partition) {
		FinishedOffsets runs = this.earlier.remove(partition);
		return (runs != null) ? runs : FinishedOffsets.NONE;
	}

	private void finished() {
		this.uncommitted = true;
		if (this.idle.compareAndSet(true, false)) {
			wakeUp();
		}
	}

	private void ended(int size) {
		this.pending.remove(size);
		if (this.pending.hasRoomFor(this.properties.batch()) && this.full.compareAndSet(true, false)) {
			wakeUp();
		}
	}

	private void wakeUp() {
		Consumer<byte[], byte[]> kafka = this.consumer;
		if (kafka != null) {
			kafka.wakeup();
		}
	}

	private void commitIfDue(Consumer<byte[], byte[]> kafka) {
		long now = this.time.nanoTime();
		if (this.committing || now - this.committedAtNanos < this.properties.commitInterval().toNanos()) {
			return;
		}
		this.committedAtNanos = now;
		this.uncommitted = false;
		Map<TopicPartition, OffsetAndMetadata> offsets = committable(this.progress.keySet());
		if (offsets.isEmpty()) {
			return;
		}
		this.committing = true;
		kafka.commitAsync(offsets, (done, failure) -> {
			this.committing = false;
			if (failure == null) {
				remember(done);
			}
			else {
				this.uncommitted = true;
				logger.debug("A commit failed. The next one includes it: {}", failure.toString());
			}
		});
	}

	private Map<TopicPartition, OffsetAndMetadata> committable(Collection<TopicPartition> of) {
		Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
		for (TopicPartition partition : of) {
			PartitionProgress<Delivery> progress = this.progress.get(partition);
			if (progress != null) {
				OffsetAndMetadata finished = progress.committable();
				OffsetAndMetadata offset = new OffsetAndMetadata(finished.offset(),
						CommitMetadata.of(topicId(), finished.metadata()).text());
				if (!offset.equals(this.committed.get(partition))) {
					offsets.put(partition, offset);
				}
			}
		}
		return offsets;
	}

	private List<Uuid> topicId() {
		Uuid id = this.topicIds.get(Topics.ORDERS);
		return (id != null) ? List.of(id) : List.of();
	}

	private void remember(Map<TopicPartition, OffsetAndMetadata> offsets) {
		offsets.forEach((partition, offset) -> {
			if (this.progress.containsKey(partition)) {
				this.committed.put(partition, offset);
			}
		});
	}

	/**
	 * Gives partitions back: cancels the deliveries that wait, waits for the busy ones to
	 * end, and commits finished records. The next reader delivers the rest again.
	 */
	private void release(Consumer<byte[], byte[]> kafka, Collection<TopicPartition> of, Duration patience)
			throws InterruptedException {
		List<Delivery> deliveries = deliveries(of);
		deliveries.forEach(Delivery::cancel);
		long deadline = this.time.nanoTime() + patience.toNanos();
		for (Delivery delivery : deliveries) {
			delivery.awaitEnd(Duration.ofNanos(Math.max(deadline - this.time.nanoTime(), 0)));
		}
		if (!isWanted()) {
			abandon(of);
		}
		Map<TopicPartition, OffsetAndMetadata> offsets = committable(of);
		if (!offsets.isEmpty()) {
			commitNow(kafka, offsets);
		}
		drop(of);
	}

	private void abandon(Collection<TopicPartition> of) throws InterruptedException {
		long deadline = this.time.nanoTime() + ABANDON_TIMEOUT.toNanos();
		for (Delivery delivery : deliveries(of)) {
			delivery.abandon();
		}
		for (Delivery delivery : deliveries(of)) {
			delivery.awaitEnd(Duration.ofNanos(Math.max(deadline - this.time.nanoTime(), 0)));
		}
	}

	private void commitNow(Consumer<byte[], byte[]> kafka, Map<TopicPartition, OffsetAndMetadata> offsets) {
		try {
			try {
				kafka.commitSync(offsets, COMMIT_TIMEOUT);
			}
			catch (WakeupException ex) {
				// The wake-up is for the poll, and the loop checks its reason anyway.
				kafka.commitSync(offsets, COMMIT_TIMEOUT);
			}
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
	 * Forgets partitions without a commit and cancels their deliveries.
	 */
	private void drop(Collection<TopicPartition> of) {
		deliveries(of).forEach(Delivery::cancel);
		this.progress.keySet().removeAll(of);
		this.committed.keySet().removeAll(of);
		this.sequencers.keySet().removeAll(of);
		this.earlier.keySet().removeAll(of);
		this.assignment = this.assignment.stream()
			.filter((partition) -> !of.contains(partition))
			.collect(Collectors.toUnmodifiableSet());
	}

	private List<Delivery> deliveries(Collection<TopicPartition> of) {
		return of.stream()
			.map(this.progress::get)
			.filter((progress) -> progress != null)
			.flatMap((progress) -> progress.unfinished().stream())
			.toList();
	}

	/** The only reader. */
	private final class Loop extends Reader {

		@Override
		void read() throws InterruptedException {
			consume(this);
		}

		@Override
		void endPoll() {
			DeliveryLoop.this.wakeUp();
		}

	}

	/** The consumer calls it within a poll or its close, on the loop's thread. */
	private final class Rebalance implements ConsumerRebalanceListener {

		private final Consumer<byte[], byte[]> kafka;

		private final ReadPositions positions;

		private Rebalance(Consumer<byte[], byte[]> kafka, ReadPositions positions) {
			this.kafka = kafka;
			this.positions = positions;
		}

		/**
		 * If Kafka does not answer, the exception ends the consumer and the loop
		 * restarts: no partition is read before its position is checked.
		 */
		@Override
		public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
			if (DeliveryLoop.this.full.get()) {
				this.kafka.pause(assigned);
			}
			List<Gap> gaps = new ArrayList<>();
			this.positions.begin(assigned, gaps::add)
				.forEach((partition, commit) -> DeliveryLoop.this.earlier.put(partition,
						FinishedOffsets.parse(commit.offset(), CommitMetadata.parse(commit.metadata()).rest())));
			gaps.forEach(this::lost);
			DeliveryLoop.this.assignment = Set.copyOf(this.kafka.assignment());
			logger.info("Partitions assigned: {}", assigned);
		}

		/** Reports a gap, without the records that are finished above the commit. */
		private void lost(Gap gap) {
			long finished = DeliveryLoop.this.earlier.getOrDefault(gap.partition(), FinishedOffsets.NONE)
				.countBelow(gap.to());
			if (gap.size() > finished) {
				DeliveryLoop.this.lost.lost(READER, gap, gap.size() - finished);
			}
		}

		@Override
		public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
			logger.info("Partitions revoked: {}", revoked);
			try {
				release(this.kafka, revoked, DeliveryLoop.this.properties.rebalanceTimeout());
			}
			catch (InterruptedException ex) {
				throw new InterruptException(ex);
			}
		}

		@Override
		public void onPartitionsLost(Collection<TopicPartition> lost) {
			logger.warn("Partitions lost: {}", lost);
			drop(lost);
		}

	}

}
