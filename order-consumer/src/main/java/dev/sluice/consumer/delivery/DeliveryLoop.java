package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.consumer.OrderTopics;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.ConsumerFactory;

/**
 * Reads {@code orders}, begins a {@link Delivery} for each record and commits what has
 * finished. One platform thread, which alone uses the consumer and never waits for a
 * delivery, except for partitions it is about to lose.
 * <p>
 * Memory is bounded by {@link Pending}: without room for another batch the partitions are
 * paused, and polling goes on so that the group does not take the consumer for dead. A
 * record is finished, cancelled or pending. What is committed is the lowest unfinished
 * offset of a partition and, beside it, what has finished above, so that nobody delivers
 * that again. After an error of Kafka's the loop begins anew from the committed offsets;
 * after a bug its thread ends, and liveness says so.
 */
public final class DeliveryLoop implements SmartLifecycle, Runnable {

	private static final Logger logger = LoggerFactory.getLogger(DeliveryLoop.class);

	/** The longest sleep of an idle loop. Records and {@link #wakeUp} end it early. */
	private static final Duration POLL = Duration.ofMillis(100);

	/** Before beginning anew after an error. */
	private static final Duration RESTART = Duration.ofSeconds(1);

	/** For a commit that something waits for. */
	private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	/** For deliveries that were interrupted to end. */
	private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

	private final DeliveryProperties properties;

	private final OrderTopics topics;

	private final ConsumerFactory<byte[], byte[]> consumers;

	private final Delivery.Tools tools;

	private final Pending pending;

	/** Set while partitions are paused for want of room. */
	private final AtomicBoolean full = new AtomicBoolean();

	// Of the loop's thread.
	private final Map<TopicPartition, PartitionProgress<Delivery>> progress = new HashMap<>();

	private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();

	private final Map<TopicPartition, Turns> turns = new HashMap<>();

	/** Of partitions that no record has come from yet. */
	private final Map<TopicPartition, FinishedRuns> earlier = new HashMap<>();

	private boolean committing;

	private long committedAtNanos;

	private volatile boolean running;

	private volatile int partitions;

	private volatile long lastTurnNanos;

	private volatile @Nullable Consumer<byte[], byte[]> consumer;

	private volatile @Nullable Thread thread;

	/** What a delivery ended by and never should. */
	private volatile @Nullable Throwable bug;

	DeliveryLoop(DeliveryProperties properties, OrderTopics topics, ConsumerFactory<byte[], byte[]> consumers,
			Delivery.Tools tools, Pending pending) {
		this.properties = properties;
		this.topics = topics;
		this.consumers = consumers;
		this.tools = tools;
		this.pending = pending;
	}

	@Override
	public void start() {
		this.running = true;
		this.lastTurnNanos = System.nanoTime();
		Thread loop = Thread.ofPlatform().name("delivery-loop").unstarted(this);
		this.thread = loop;
		loop.start();
	}

	/** Stops fetching, lets deliveries end, commits, leaves the group. */
	@Override
	public void stop() {
		Thread loop = this.thread;
		if (!this.running || loop == null) {
			return;
		}
		this.running = false;
		if (this.consumer != null) {
			wakeUp();
		}
		else {
			loop.interrupt();
		}
		try {
			Duration longest = this.properties.drainTimeout()
				.plus(ABANDON_TIMEOUT)
				.plus(COMMIT_TIMEOUT)
				.plus(CLOSE_TIMEOUT);
			if (!loop.join(longest)) {
				logger.warn("The delivery loop did not stop within {} s", longest.toSeconds());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Whether orders can be expected to be read, now or once Kafka is back. */
	boolean isAlive() {
		Thread loop = this.thread;
		return loop != null && loop.isAlive();
	}

	Duration sinceLastTurn() {
		return Duration.ofNanos(System.nanoTime() - this.lastTurnNanos);
	}

	/** Partitions that records have come from since they were assigned. */
	int partitions() {
		return this.partitions;
	}

	boolean isConnected() {
		return this.consumer != null;
	}

	@Override
	public void run() {
		try {
			while (this.running) {
				try {
					this.topics.await();
					consume();
				}
				catch (InterruptException ex) {
					return;
				}
				catch (KafkaException ex) {
					logger.error("Consuming failed; beginning anew from the committed offsets", ex);
					Thread.sleep(RESTART);
				}
			}
		}
		catch (InterruptedException ex) {
			logger.debug("Stopped before Kafka was ready");
		}
	}

	private void consume() throws InterruptedException {
		Properties overrides = new Properties();
		overrides.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(this.properties.batch()));
		Consumer<byte[], byte[]> kafka = this.consumers.createConsumer(this.properties.groupId(), "order-delivery",
				null, overrides);
		// A consumer that is gone may have left its last commit unanswered.
		this.committing = false;
		try {
			this.consumer = kafka;
			kafka.subscribe(List.of(Topics.ORDERS), new Rebalance(kafka));
			logger.info("Reading {} as group {}", Topics.ORDERS, this.properties.groupId());
			while (this.running) {
				turn(kafka);
			}
			release(kafka, List.copyOf(this.progress.keySet()), this.properties.drainTimeout());
		}
		finally {
			this.consumer = null;
			drop(List.copyOf(this.progress.keySet()));
			this.earlier.clear();
			kafka.close(CloseOptions.timeout(CLOSE_TIMEOUT));
		}
	}

	private void turn(Consumer<byte[], byte[]> kafka) {
		if (this.bug != null) {
			throw new IllegalStateException("A delivery ended by a bug; its offset would be held for ever", this.bug);
		}
		pauseOrResume(kafka);
		for (ConsumerRecord<byte[], byte[]> record : poll(kafka)) {
			begin(record);
		}
		commitIfDue(kafka);
		this.partitions = this.progress.size();
		this.lastTurnNanos = System.nanoTime();
	}

	private void pauseOrResume(Consumer<byte[], byte[]> kafka) {
		if (!this.pending.hasRoomFor(this.properties.batch())) {
			this.full.set(true);
			// Between the question and the flag somebody may have made room, unheard.
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

	private ConsumerRecords<byte[], byte[]> poll(Consumer<byte[], byte[]> kafka) {
		try {
			return kafka.poll(POLL);
		}
		catch (WakeupException ex) {
			// There is room again, or it is time to stop.
			return ConsumerRecords.empty();
		}
	}

	private void begin(ConsumerRecord<byte[], byte[]> record) {
		TopicPartition partition = new TopicPartition(record.topic(), record.partition());
		PartitionProgress<Delivery> of = this.progress.computeIfAbsent(partition,
				(first) -> new PartitionProgress<>(record.offset(), earlier(first)));
		if (of.pass(record.offset())) {
			return;
		}
		int size = Math.max(record.serializedValueSize(), 0);
		Delivery delivery = new Delivery(record, turn(partition, record), this.tools, (finished, broken) -> {
			// Of a partition that has been lost, nobody looks at the progress any more.
			if (finished) {
				of.finish(record.offset());
			}
			if (broken != null) {
				this.bug = broken;
			}
			ended(size);
		});
		this.pending.add(size);
		of.begin(record.offset(), delivery);
		delivery.start();
	}

	private Turns.Turn turn(TopicPartition partition, ConsumerRecord<byte[], byte[]> record) {
		Turns of = this.turns.computeIfAbsent(partition, (_) -> new Turns());
		return switch (this.properties.ordering()) {
			case NONE -> of.take(null);
			case KEY -> of.take(record.key());
		};
	}

	private FinishedRuns earlier(TopicPartition partition) {
		FinishedRuns runs = this.earlier.remove(partition);
		return (runs != null) ? runs : FinishedRuns.NONE;
	}

	private void ended(int size) {
		this.pending.remove(size);
		if (this.full.get() && this.pending.hasRoomFor(this.properties.batch())
				&& this.full.compareAndSet(true, false)) {
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
		long now = System.nanoTime();
		if (this.committing || now - this.committedAtNanos < this.properties.commitInterval().toNanos()) {
			return;
		}
		this.committedAtNanos = now;
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
				logger.debug("A commit failed, the next includes it: {}", failure.toString());
			}
		});
	}

	private Map<TopicPartition, OffsetAndMetadata> committable(Collection<TopicPartition> of) {
		Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
		for (TopicPartition partition : of) {
			PartitionProgress<Delivery> progress = this.progress.get(partition);
			if (progress != null) {
				OffsetAndMetadata offset = progress.committable();
				if (!offset.equals(this.committed.get(partition))) {
					offsets.put(partition, offset);
				}
			}
		}
		return offsets;
	}

	private void remember(Map<TopicPartition, OffsetAndMetadata> offsets) {
		offsets.forEach((partition, offset) -> {
			if (this.progress.containsKey(partition)) {
				this.committed.put(partition, offset);
			}
		});
	}

	/**
	 * Gives partitions back: cancels what waits, lets the rest end, commits what has
	 * finished. What has not ended by then is delivered again by whoever comes next.
	 */
	private void release(Consumer<byte[], byte[]> kafka, Collection<TopicPartition> of, Duration patience)
			throws InterruptedException {
		List<Delivery> deliveries = deliveries(of);
		deliveries.forEach(Delivery::cancel);
		long deadline = System.nanoTime() + patience.toNanos();
		for (Delivery delivery : deliveries) {
			delivery.awaitEnd(Duration.ofNanos(Math.max(deadline - System.nanoTime(), 0)));
		}
		if (!this.running) {
			abandon(of);
		}
		Map<TopicPartition, OffsetAndMetadata> offsets = committable(of);
		if (!offsets.isEmpty()) {
			commitNow(kafka, offsets);
		}
		drop(of);
	}

	private void abandon(Collection<TopicPartition> of) throws InterruptedException {
		long deadline = System.nanoTime() + ABANDON_TIMEOUT.toNanos();
		for (Delivery delivery : deliveries(of)) {
			delivery.abandon();
		}
		for (Delivery delivery : deliveries(of)) {
			delivery.awaitEnd(Duration.ofNanos(Math.max(deadline - System.nanoTime(), 0)));
		}
	}

	private void commitNow(Consumer<byte[], byte[]> kafka, Map<TopicPartition, OffsetAndMetadata> offsets) {
		try {
			try {
				kafka.commitSync(offsets, COMMIT_TIMEOUT);
			}
			catch (WakeupException ex) {
				// Meant for a poll; the loop looks at what it was for anyway.
				kafka.commitSync(offsets, COMMIT_TIMEOUT);
			}
		}
		catch (InterruptException ex) {
			throw ex;
		}
		catch (KafkaException ex) {
			logger.warn("The last commit failed; up to {} of deliveries will be repeated: {}",
					this.properties.commitInterval(), ex.toString());
		}
	}

	/**
	 * Forgets partitions. Their deliveries end when they can, and nothing is committed.
	 */
	private void drop(Collection<TopicPartition> of) {
		deliveries(of).forEach(Delivery::cancel);
		this.progress.keySet().removeAll(of);
		this.committed.keySet().removeAll(of);
		this.turns.keySet().removeAll(of);
		this.earlier.keySet().removeAll(of);
	}

	private List<Delivery> deliveries(Collection<TopicPartition> of) {
		return of.stream()
			.map(this.progress::get)
			.filter((progress) -> progress != null)
			.flatMap((progress) -> progress.unfinished().stream())
			.toList();
	}

	/** Called by the consumer within a poll or its close, on the loop's thread. */
	private final class Rebalance implements ConsumerRebalanceListener {

		private final Consumer<byte[], byte[]> kafka;

		private Rebalance(Consumer<byte[], byte[]> kafka) {
			this.kafka = kafka;
		}

		@Override
		public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
			if (DeliveryLoop.this.full.get()) {
				this.kafka.pause(assigned);
			}
			remember(assigned);
			logger.info("Partitions assigned: {}", assigned);
		}

		/** What finished above their commits is not to be delivered again. */
		private void remember(Collection<TopicPartition> assigned) {
			try {
				commits(assigned).forEach((partition, commit) -> {
					if (commit != null) {
						DeliveryLoop.this.earlier.put(partition,
								FinishedRuns.parse(commit.offset(), commit.metadata()));
					}
				});
			}
			catch (InterruptException ex) {
				throw ex;
			}
			catch (KafkaException ex) {
				logger.warn("What finished above the commits of {} is not known and will be repeated: {}", assigned,
						ex.toString());
			}
		}

		private Map<TopicPartition, OffsetAndMetadata> commits(Collection<TopicPartition> of) {
			try {
				return this.kafka.committed(Set.copyOf(of), COMMIT_TIMEOUT);
			}
			catch (WakeupException ex) {
				// Meant for the poll, as with a commit.
				return this.kafka.committed(Set.copyOf(of), COMMIT_TIMEOUT);
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
