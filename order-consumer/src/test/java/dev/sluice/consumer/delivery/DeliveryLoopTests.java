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
import java.util.stream.Stream;

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
import dev.sluice.sink.Script;
import dev.sluice.topics.TopicWatch;
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
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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

	private static final Uuid AGAIN = new Uuid(2, 2);

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

	/** Why Kafka does not answer. */
	private volatile @Nullable KafkaException away;

	private Time time = Time.SYSTEM;

	private @Nullable String commitInterval;

	private PendingRecords pending;

	private DeliveryLoop loop;

	private final AtomicLong nanos = new AtomicLong();

	/** Steps of a loop to which partition 3 is assigned. A record is its offset. */
	private final Script script = new Script().word("hourly", (_) -> commitsHourly())
		.word("without-pauses", (_) -> this.time = new Time() {

			@Override
			public void sleep(Duration duration) {
			}

		})
		.word("start", (saving) -> start(Map.of(), (_) -> {
			if (saving.contains("broken")) {
				throw new IllegalStateException("a bug");
			}
			if (saving.contains("slow")) {
				held();
			}
			return Thread.currentThread().isInterrupted() ? FAILED : SAVED;
		}))
		.word("receive", (offset) -> this.kafka.receive(order(UUID.randomUUID(), Long.parseLong(offset.getFirst()))))
		.word("begun", (orders) -> await().until(() -> this.calls.get() == Integer.parseInt(orders.getFirst())))
		.word("ended",
				(orders) -> await().until(
						() -> this.calls.get() == Integer.parseInt(orders.getFirst()) && this.pending.records() == 0))
		.word("at", (time) -> this.nanos.set(Script.time(time.getFirst()).toNanos()))
		.word("poll", (_) -> this.kafka.pollAgain())
		.word("asleep", (_) -> this.kafka.awaitSleep())
		.word("turn", (_) -> this.kafka.then(() -> {
		}))
		.word("committed",
				(offset) -> await().until(() -> this.kafka.last.offset() == Long.parseLong(offset.getFirst())))
		.word("wake-up", (_) -> this.kafka.syncFailures.add(new WakeupException()))
		.word("revoke", (_) -> this.kafka.then(() -> this.kafka.rebalance(List.of())))
		.word("out-of-range",
				(offset) -> this.kafka.then(() -> this.kafka.setPollException(
						new OffsetOutOfRangeException(Map.of(PARTITION, Long.parseLong(offset.getFirst()))))))
		.word("topic", (id) -> this.topic = id.contains("none") ? null : AGAIN)
		.word("stop", (_) -> this.loop.stop())
		.word("dead", (_) -> await().until(() -> !this.loop.isAlive()))
		.word("next-receives", (offset) -> {
			this.next.assign();
			this.next.receive(order(UUID.randomUUID(), Long.parseLong(offset.getFirst())));
		})
		.word("next-committed",
				(offset) -> await().until(
						() -> this.next.last != null && this.next.last.offset() == Long.parseLong(offset.getFirst())))
		.shown("names", () -> CommitMetadata.parse(this.kafka.last.metadata()).topicIds().stream().sorted().toList())
		.shown("next-names",
				() -> CommitMetadata.parse(this.next.last.metadata()).topicIds().stream().sorted().toList())
		.shown("lost", () -> this.lost.details().values().stream().map(String::valueOf).toList())
		.is(() -> "pending=%s commits=%s last=%s wake-ups=%s closed=%s assigned=%s connected=%s alive=%s running=%s idle=%s"
			.formatted(this.pending.records(), this.kafka.commits, this.kafka.last.offset(),
					this.kafka.syncFailures.size(), this.kafka.closed(), this.loop.assignment().size(),
					this.loop.isConnected(), this.loop.isAlive(), this.loop.isRunning(), this.loop.sinceLastPoll()));

	@AfterEach
	void stop() {
		this.proceed.countDown();
		this.loop.stop();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				commits once in each interval, and not if there is nothing new
					hourly; start saving; receive 0; ended 1; at 59m; poll; is commits=0
					at 60m; poll; committed 1; is commits=1; at 120m; poll; is commits=1 idle=PT0S
				goes on while nobody knows the topic
					hourly; start saving; receive 0; ended 1; topic none; poll; receive 1; ended 2; is closed=false
					lost
				a wake-up does not keep it from committing what it gives back
					hourly; start saving; receive 0; ended 1; wake-up; revoke; committed 1; is wake-ups=0
				begins again where the log ends before its position
					without-pauses; start saving; out-of-range 9; turn; next-receives 0; next-committed 1
					is closed=true; lost
				commits what is finished when it stops
					hourly; start saving; receive 0; ended 1; is last=0 assigned=1 connected=true alive=true; stop
					is last=1 closed=true assigned=0 connected=false alive=false running=false; names %1$s
				ends by a bug because the offset can never be committed
					start broken; receive 0; ended 1; turn; dead; is closed=true last=0
				reads a topic that was created again from its beginning: the last commit is of the deleted one
					hourly; start saving; receive 0; ended 1; topic again; turn; next-receives 0; ended 2; stop
					is last=0; next-committed 1; next-names %2$s; lost the topic was deleted
				abandons a delivery that does not end before it stops
					start slow; receive 0; begun 1; stop; is last=0 pending=0
				knows how long a consumer did nothing
					hourly; start saving; receive 0; ended 1; asleep; at 5m; is idle=PT5M
				""".formatted(TOPIC, AGAIN));
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
	void stopsWhileKafkaIsAway() throws InterruptedException {
		CountDownLatch paused = new CountDownLatch(1);
		this.time = new Time() {

			@Override
			public void sleep(Duration duration) throws InterruptedException {
				paused.countDown();
				Thread.sleep(Duration.ofHours(1));
			}

		};
		this.away = new KafkaException("no answer");
		start(Map.of(), (_) -> SAVED);
		paused.await();
		assertThat(this.loop.isConnected()).isFalse();

		this.loop.stop();

		assertThat(this.loop.isAlive()).isFalse();
	}

	/** Commits an hour after the start at the earliest. */
	private void commitsHourly() {
		this.time = new SetTime(this.nanos);
		this.commitInterval = "1h";
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
		Map<String, String> all = new HashMap<>(properties);
		all.putIfAbsent("delivery.drain-timeout", "0s");
		if (this.commitInterval != null) {
			all.put("delivery.commit-interval", this.commitInterval);
		}
		DeliveryProperties delivery = new Binder(new MapConfigurationPropertySource(all)).bindOrCreate("delivery",
				DeliveryProperties.class);
		when(this.consumers.createConsumer(any(), any(), any(), any())).thenReturn(this.kafka, this.next);
		this.pending = new PendingRecords(delivery.maxPending(), delivery.maxPendingSize().toBytes());
		this.loop = new DeliveryLoop(delivery, topics(this::topicIds), this.lost, this.consumers,
				context(delivery, backend), this.pending, Thread.ofPlatform().factory());
		assertThat(this.loop.isAlive()).isFalse();
		this.loop.start();
		if (this.away == null) {
			this.kafka.assign();
		}
	}

	static TopicWatch topics(Supplier<Map<String, Uuid>> ids) {
		TopicWatch topics = mock(TopicWatch.class, withSettings().stubOnly());
		try {
			when(topics.await()).thenAnswer((_) -> ids.get());
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		when(topics.ids()).thenAnswer((_) -> ids.get());
		return topics;
	}

	private Map<String, Uuid> topicIds() {
		if (this.away != null) {
			throw this.away;
		}
		Uuid id = this.topic;
		return (id != null) ? Map.of(Topics.ORDERS, id) : Map.of();
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
