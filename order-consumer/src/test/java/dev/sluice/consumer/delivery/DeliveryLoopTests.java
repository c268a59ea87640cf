package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.TestProducer;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.offsets.CommitMetadata;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.kafka.core.ConsumerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** The loop with a consumer that sleeps until it is woken, however long that takes. */
class DeliveryLoopTests {

	private static final TopicPartition PARTITION = new TopicPartition(Topics.ORDERS, 3);

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED);

	private static final Uuid TOPIC = new Uuid(1, 1);

	private final SleepingConsumer kafka = new SleepingConsumer();

	/** The consumer that the loop continues with after it has closed the other one. */
	private final SleepingConsumer next = new SleepingConsumer();

	@SuppressWarnings("unchecked")
	private final ConsumerFactory<byte[], byte[]> consumers = mock(ConsumerFactory.class);

	private final CountDownLatch proceed = new CountDownLatch(1);

	private final AtomicInteger calls = new AtomicInteger();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final LostRecords lost = new LostRecords(this.meters);

	/** Null if the topic does not exist. */
	private volatile @Nullable Uuid topic = TOPIC;

	private Time time = Time.SYSTEM;

	private @Nullable String commitInterval;

	private PendingRecords pending;

	private DeliveryLoop loop;

	@AfterEach
	void stop() {
		this.proceed.countDown();
		this.loop.stop();
	}

	@Test
	void commitsOnceInEachInterval() {
		AtomicLong nanos = new AtomicLong();
		this.time = new SetTime(nanos);
		start(Map.of("delivery.commit-interval", "1h"), (order) -> SAVED);
		this.kafka.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.calls.get() == 1 && this.pending.records() == 0);

		nanos.set(Duration.ofMinutes(59).toNanos());
		this.kafka.pollAgain();
		assertThat(this.kafka.commits).hasValue(0);

		nanos.set(Duration.ofMinutes(60).toNanos());
		this.kafka.pollAgain();
		await().untilAsserted(() -> assertThat(this.kafka.committedOffset()).isEqualTo(1));
		assertThat(this.kafka.commits).hasValue(1);

		nanos.set(Duration.ofMinutes(120).toNanos());
		this.kafka.pollAgain();
		assertThat(this.kafka.commits).as("there is nothing new").hasValue(1);
		assertThat(this.loop.sinceLastPoll()).isZero();
	}

	@Test
	void doesNotSpinWhileACommitHasNoAnswer() {
		start(Map.of(), (order) -> SAVED);
		this.kafka.silent = true;
		this.kafka.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.kafka.commits.get() == 1);
		this.kafka.receive(order(UUID.randomUUID(), 1));
		await().until(() -> this.calls.get() == 2 && this.pending.records() == 0);

		int polls = this.kafka.polls.get();
		await().until(() -> this.kafka.polls.get() > polls + 10);

		assertThat(this.kafka.commits).as("one at a time").hasValue(1);
		assertThat(this.kafka.spun).isFalse();
	}

	@Test
	void goesOnWhileNobodyKnowsTheTopic() {
		commitsHourly();
		saveOne();

		this.topic = null;
		this.kafka.pollAgain();
		this.kafka.receive(order(UUID.randomUUID(), 1));

		await().until(() -> this.calls.get() == 2 && this.pending.records() == 0);
		assertThat(this.kafka.closed()).isFalse();
		assertThat(this.lost.isEmpty()).isTrue();
	}

	/** The commit is 1. Above it, 2 and 3 are finished, or all up to 4. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "finished-1:1,2 | 2", "finished-1:0,4 | 0" })
	void doesNotCallLostWhatWasFinishedAboveTheCommit(String finished, int lost) {
		this.kafka.before = new OffsetAndMetadata(1, finished);
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 5L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 6L));
		start(Map.of(), (order) -> SAVED);

		this.kafka.receive(order(UUID.randomUUID(), 5));

		await().untilAsserted(() -> assertThat(this.kafka.committedOffset()).isEqualTo(6));
		assertThat(this.lost.details()).isEqualTo(
				(lost > 0) ? Map.of("delivery: orders-3", "%s records below offset 5".formatted(lost)) : Map.of());
	}

	@Test
	void worksOnTheRecordsOfOneOrderOneAfterAnother() {
		UUID order = UUID.randomUUID();
		UUID other = UUID.randomUUID();
		AtomicInteger together = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch others = new CountDownLatch(3);
		start(Map.of(), (queued) -> {
			if (queued.id().equals(order)) {
				most.accumulateAndGet(together.incrementAndGet(), Math::max);
				held();
				together.decrementAndGet();
			}
			else {
				others.countDown();
			}
			return SAVED;
		});

		this.kafka.receive(order(order, 0), order(order, 1), order(order, 2), order(other, 3),
				order(UUID.randomUUID(), 4), order(UUID.randomUUID(), 5));
		await().until(() -> others.getCount() == 0 && this.calls.get() == 4);
		this.proceed.countDown();

		await().untilAsserted(() -> assertThat(this.kafka.committedOffset()).isEqualTo(6));
		assertThat(most).hasValue(1);
		assertThat(this.calls).hasValue(6);
	}

	/** One order is in its attempt, one waits for its next attempt. */
	@Test
	void givesAPartitionBackWhenWhatIsInDeliveryHasEnded() {
		commitsHourly();
		UUID late = UUID.randomUUID();
		start(Map.of("delivery.initial-backoff", "1h", "delivery.max-backoff", "1h"), (order) -> {
			if (order.id().equals(late)) {
				return FAILED;
			}
			held();
			return SAVED;
		});
		this.kafka.receive(order(UUID.randomUUID(), 0), order(late, 1), order(late, 2));
		await().until(() -> this.calls.get() == 2);

		this.kafka.then(() -> this.kafka.rebalance(List.of()));
		await().until(() -> this.pending.records() == 1);
		assertThat(this.kafka.last.offset()).isZero();
		this.proceed.countDown();

		await().untilAsserted(() -> assertThat(this.kafka.last.offset()).isEqualTo(1));
		await().until(() -> this.loop.assignment().isEmpty());
		await().until(() -> this.pending.records() == 0);
		assertThat(this.kafka.commits).as("without waiting for the interval").hasValue(0);
		assertThat(this.calls).hasValue(2);
	}

	@Test
	void aWakeUpDoesNotKeepItFromCommittingWhatItGivesBack() {
		commitsHourly();
		saveOne();
		this.kafka.syncFailures.add(new WakeupException());

		this.kafka.then(() -> this.kafka.rebalance(List.of()));

		await().untilAsserted(() -> assertThat(this.kafka.last.offset()).isEqualTo(1));
		assertThat(this.kafka.syncFailures).isEmpty();
	}

	@Test
	void beginsAgainWhereTheLogEndsBeforeItsPosition() {
		this.time = new Time() {

			@Override
			public void sleep(Duration duration) {
			}

		};
		start(Map.of(), (order) -> SAVED);

		this.kafka.then(() -> this.kafka.setPollException(new OffsetOutOfRangeException(Map.of(PARTITION, 9L))));
		this.kafka.then(() -> {
		});
		this.next.assign();
		this.next.receive(order(UUID.randomUUID(), 0));

		await().untilAsserted(() -> assertThat(this.next.committedOffset()).isEqualTo(1));
		assertThat(this.kafka.closed()).isTrue();
		assertThat(this.lost.isEmpty()).isTrue();
	}

	@Test
	void commitsWhatIsFinishedWhenItStops() {
		commitsHourly();
		saveOne();
		assertThat(this.kafka.last.offset()).isZero();

		this.loop.stop();

		assertThat(this.kafka.last.offset()).isEqualTo(1);
		assertThat(CommitMetadata.parse(this.kafka.last.metadata()).isOf(TOPIC)).isTrue();
		assertThat(CommitMetadata.parse(this.kafka.last.metadata()).topicIds()).isNotEmpty();
		assertThat(this.kafka.closed()).isTrue();
		assertThat(this.loop.assignment()).isEmpty();
		assertThat(this.loop.isConnected()).isFalse();
	}

	@Test
	void abandonsADeliveryThatDoesNotEndBeforeItStops() {
		start(Map.of(), (order) -> {
			held();
			return Thread.currentThread().isInterrupted() ? FAILED : SAVED;
		});
		this.kafka.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.calls.get() == 1);

		this.loop.stop();

		assertThat(this.pending.records()).isZero();
		assertThat(this.kafka.last.offset()).isZero();
	}

	@Test
	void endsByABugBecauseTheOffsetCanNeverBeCommitted() {
		start(Map.of(), (order) -> {
			throw new IllegalStateException("a bug");
		});
		this.kafka.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.calls.get() == 1 && this.pending.records() == 0);

		this.kafka.then(() -> {
		});

		await().until(() -> !this.loop.isAlive());
		assertThat(this.kafka.closed()).isTrue();
		assertThat(this.kafka.last.offset()).isZero();
	}

	@Test
	void readsATopicThatWasCreatedAgainFromItsBeginning() {
		commitsHourly();
		saveOne();
		Uuid again = new Uuid(2, 2);

		this.topic = again;
		this.kafka.then(() -> {
		});
		this.next.assign();
		this.next.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.calls.get() == 2 && this.pending.records() == 0);
		this.loop.stop();

		assertThat(this.kafka.last.offset()).as("the offset is one of the deleted topic").isZero();
		assertThat(this.next.last.offset()).isEqualTo(1);
		assertThat(CommitMetadata.parse(this.next.last.metadata()).topicIds()).containsExactly(again.toString());
		assertThat(this.lost.details()).containsEntry("delivery: orders", "the topic was deleted");
	}

	@Test
	void stopsWhileKafkaIsAway() throws InterruptedException {
		TopicWatch topics = topics(this::state);
		when(topics.await()).thenAnswer((_) -> {
			throw new KafkaException("no answer");
		});
		CountDownLatch paused = new CountDownLatch(1);
		this.time = new Time() {

			@Override
			public void sleep(Duration duration) throws InterruptedException {
				paused.countDown();
				Thread.sleep(Duration.ofHours(1));
			}

		};
		create(topics, Map.of(), (order) -> SAVED);
		assertThat(this.loop.isAlive()).isFalse();
		this.loop.start();
		paused.await();
		assertThat(this.loop.isAlive()).isTrue();
		assertThat(this.loop.isConnected()).isFalse();

		this.loop.stop();

		assertThat(this.loop.isAlive()).isFalse();
		assertThat(this.loop.isRunning()).isFalse();
	}

	/** Without a consumer it waits for Kafka, however long that takes. */
	@Test
	void knowsHowLongAConsumerDidNothing() {
		AtomicLong nanos = new AtomicLong();
		this.time = new SetTime(nanos);
		start(Map.of(), (order) -> SAVED);
		await().until(() -> this.loop.isConnected());
		this.kafka.awaitSleep();

		nanos.set(Duration.ofMinutes(5).toNanos());

		assertThat(this.loop.sinceLastPoll()).isEqualTo(Duration.ofMinutes(5));
	}

	/** Commits an hour after the start at the earliest. */
	private void commitsHourly() {
		this.time = new SetTime(new AtomicLong());
		this.commitInterval = "1h";
	}

	private void saveOne() {
		start(Map.of(), (order) -> SAVED);
		this.kafka.receive(order(UUID.randomUUID(), 0));
		await().until(() -> this.calls.get() == 1 && this.pending.records() == 0);
	}

	private void held() {
		try {
			this.proceed.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void start(Map<String, String> properties, Function<QueuedOrder, Attempt> backend) {
		create(topics(this::state), properties, backend);
		this.loop.start();
		this.kafka.assign();
	}

	private void create(TopicWatch topics, Map<String, String> properties, Function<QueuedOrder, Attempt> backend) {
		Map<String, String> all = new HashMap<>(properties);
		all.putIfAbsent("delivery.drain-timeout", "0s");
		if (this.commitInterval != null) {
			all.put("delivery.commit-interval", this.commitInterval);
		}
		DeliveryProperties delivery = new Binder(new MapConfigurationPropertySource(all)).bindOrCreate("delivery",
				DeliveryProperties.class);
		when(this.consumers.createConsumer(any(), any(), any(), any())).thenReturn(this.kafka, this.next);
		this.pending = new PendingRecords(delivery.maxPending(), delivery.maxPendingSize().toBytes());
		this.loop = new DeliveryLoop(delivery, topics, this.lost, this.consumers, context(delivery, backend),
				this.pending, Thread.ofPlatform().factory());
	}

	static TopicWatch topics(Supplier<TopicsState> state) {
		TopicWatch topics = mock(TopicWatch.class, withSettings().stubOnly());
		try {
			when(topics.await()).thenAnswer((_) -> state.get());
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		when(topics.state()).thenAnswer((_) -> state.get());
		return topics;
	}

	private TopicsState state() {
		Uuid id = this.topic;
		return new TopicsState(true, (id != null) ? Map.of(Topics.ORDERS, id) : Map.of(), List.of(), List.of(), null);
	}

	private Delivery.Context context(DeliveryProperties delivery, Function<QueuedOrder, Attempt> backend) {
		Backoff backoff = new Backoff(delivery.initialBackoff(), delivery.maxBackoff(), () -> 1);
		return DeliveryTests.context((order) -> {
			this.calls.incrementAndGet();
			return backend.apply(order);
		}, DeliveryTests.limiter(delivery.concurrency()),
				new RetryPolicy(backoff, 8, Duration.ofMinutes(1), Duration.ZERO), new PayloadHistory(10),
				new TestProducer(), new SimpleMeterRegistry(), Thread.ofVirtual().factory(), this.time,
				InstantSource.system());
	}

	private static ConsumerRecord<byte[], byte[]> order(UUID id, long offset) {
		return Records.order(id).at(offset);
	}

	/** A poll that has nothing to commit sleeps until a test or a wake-up ends it. */
	private static final class SleepingConsumer extends MockConsumer<byte[], byte[]> {

		private final BlockingQueue<Object> wakeUps = new LinkedBlockingQueue<>();

		private final AtomicInteger commits = new AtomicInteger();

		private final AtomicInteger polls = new AtomicInteger();

		/** Whether any poll was without a wait. */
		private volatile boolean spun;

		/** Whether Kafka does not answer commits of the loop. */
		private volatile boolean silent;

		/** Failures of the next synchronous commits. */
		private final Queue<KafkaException> syncFailures = new ConcurrentLinkedQueue<>();

		/** The last accepted commit of {@link #PARTITION}. */
		private volatile OffsetAndMetadata last;

		private volatile ConsumerRebalanceListener listener;

		private volatile boolean asleep;

		/** The commit that the loop finds; null if there is none. */
		private @Nullable OffsetAndMetadata before;

		SleepingConsumer() {
			super("earliest");
			updateBeginningOffsets(Map.of(PARTITION, 0L));
			updateEndOffsets(Map.of(PARTITION, 0L));
		}

		@Override
		public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
			this.listener = listener;
			super.subscribe(topics, listener);
		}

		@Override
		public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
			this.polls.incrementAndGet();
			this.spun |= !timeout.isPositive();
			if (timeout.toMillis() >= 100) {
				this.asleep = true;
				try {
					this.wakeUps.take();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				this.asleep = false;
			}
			return super.poll(timeout);
		}

		@Override
		public void wakeup() {
			super.wakeup();
			this.wakeUps.add(this);
		}

		/** A poll does not sleep while there are records to read. */
		@Override
		public synchronized void resume(Collection<TopicPartition> partitions) {
			super.resume(partitions);
			this.wakeUps.add(this);
		}

		/** Called by the loop as it starts. */
		@Override
		public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions,
				Duration timeout) {
			return (this.before != null) ? Map.of(PARTITION, this.before) : super.committed(partitions, timeout);
		}

		@Override
		public synchronized void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets,
				OffsetCommitCallback callback) {
			// The commit at the assignment has no callback.
			if (callback != null) {
				this.commits.incrementAndGet();
				if (this.silent) {
					return;
				}
			}
			this.last = offsets.get(PARTITION);
			super.commitAsync(offsets, callback);
		}

		@Override
		public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
			KafkaException failure = this.syncFailures.poll();
			if (failure != null) {
				throw failure;
			}
			super.commitSync(offsets, timeout);
		}

		private void then(Runnable task) {
			schedulePollTask(task);
			this.wakeUps.add(this);
		}

		void assign() {
			await().until(() -> this.listener != null);
			then(() -> rebalance(List.of(PARTITION)));
		}

		@SafeVarargs
		final void receive(ConsumerRecord<byte[], byte[]>... records) {
			then(() -> {
				for (ConsumerRecord<byte[], byte[]> record : records) {
					addRecord(record);
				}
			});
		}

		/** Ends the sleep, and waits for the next one. */
		void pollAgain() {
			awaitSleep();
			this.asleep = false;
			this.wakeUps.add(this);
			awaitSleep();
		}

		void awaitSleep() {
			await().until(() -> this.asleep && this.wakeUps.isEmpty());
		}

		long committedOffset() {
			OffsetAndMetadata committed = committed(Set.of(PARTITION)).get(PARTITION);
			return (committed != null) ? committed.offset() : -1;
		}

	}

}
