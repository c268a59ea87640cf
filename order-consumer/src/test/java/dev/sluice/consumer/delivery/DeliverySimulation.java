package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.DeliveryProperties.Ordering;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.offsets.CommitMetadata;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.util.unit.DataSize;

/**
 * Simulates one life of a consumer. A seed decides its configuration, the records, how
 * the backend and Kafka answer and fail, rebalances, restarts and crashes, and which
 * thread runs when. The simulation checks its invariants at each step. After the disorder
 * it waits until every record is finished and committed.
 */
final class DeliverySimulation {

	static final Uuid TOPIC_ID = new Uuid(1, 1);

	private static final int EVENTS = 60;

	private static final int MAX_STEPS = 200_000;

	/** In simulated time. */
	private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(10);

	private static final int TRACE = 40;

	private final TopicWatch topics;

	private final LostRecords lost;

	private final Random random;

	private final SeededScheduler scheduler;

	private final DeliveryProperties properties;

	private final long maxPendingBytes;

	private final Map<TopicPartition, SimulatedPartition> partitions = new HashMap<>();

	private final Deque<String> trace = new ArrayDeque<>();

	private int traceHash;

	private Instance instance;

	private boolean disorder = true;

	private boolean backendDown;

	private @Nullable String violation;

	DeliverySimulation(long seed, TopicWatch topics, LostRecords lost) {
		this.topics = topics;
		this.lost = lost;
		this.random = new Random(seed);
		this.scheduler = new SeededScheduler(this.random);
		int concurrency = 1 + this.random.nextInt(4);
		int maxPending = 2 * concurrency + this.random.nextInt(20);
		this.maxPendingBytes = this.random.nextInt(4) == 0 ? 1_000 : Long.MAX_VALUE;
		this.properties = new DeliveryProperties(true, concurrency, 1 + this.random.nextInt(4), Duration.ofSeconds(1),
				Duration.ZERO, Duration.ofSeconds(5), Duration.ofMillis(50), Duration.ofSeconds(2), maxPending,
				DataSize.ofMegabytes(64), Duration.ofMillis(20), delay(300), delay(500), "simulated",
				this.random.nextBoolean() ? Ordering.KEY : Ordering.NONE);
		for (int i = 0; i <= this.random.nextInt(4); i++) {
			TopicPartition id = new TopicPartition(Topics.ORDERS, i);
			this.partitions.put(id, new SimulatedPartition(id));
		}
		this.instance = new Instance();
	}

	SeededScheduler time() {
		return this.scheduler;
	}

	Random random() {
		return this.random;
	}

	SimulatedPartition partition(TopicPartition id) {
		return this.partitions.get(id);
	}

	/** A random duration below this number of milliseconds, uniformly distributed. */
	Duration delay(int maxMillis) {
		return Duration.ofNanos(this.random.nextLong(maxMillis * 1_000_000L));
	}

	/** Whether a call fails: one in {@code once} calls, while there is disorder. */
	boolean fails(int once) {
		return this.disorder && this.random.nextInt(once) == 0;
	}

	/**
	 * @return a hash of all that happened
	 * @throws AssertionError if something happened that must not
	 */
	int run() {
		this.instance.start();
		scheduleEvent(EVENTS);
		for (int i = 0; this.disorder; i++) {
			step(i);
		}
		settle();
		checkPlaces();
		return this.traceHash;
	}

	private void step(int number) {
		if (!this.scheduler.step()) {
			violated("nothing can go on");
		}
		if (number > MAX_STEPS) {
			violated("no end after %s steps", number);
		}
		if (this.violation != null) {
			throw new AssertionError(
					"%s%n%s%n%s".formatted(this.violation, this.properties, String.join("\n", this.trace)));
		}
	}

	/** Without disorder, every record must finish. */
	private void settle() {
		trace("settle");
		this.backendDown = false;
		assign(this.partitions.keySet(), false);
		long deadline = this.scheduler.nanoTime() + SETTLE_TIMEOUT.toNanos();
		for (int i = 0; !isSettled(); i++) {
			if (this.scheduler.nanoTime() > deadline) {
				violated("lost or stuck: %s",
						this.partitions.values()
							.stream()
							.map((of) -> "%s has %s of %s finished, commit %s".formatted(of.id, of.done.size(),
									of.log.size(), of.committed))
							.toList());
			}
			step(i);
		}
	}

	private boolean isSettled() {
		return !this.instance.stopping && this.instance.live == 0
				&& this.partitions.values().stream().allMatch((of) -> of.assigned && of.isSettled());
	}

	/**
	 * In the end, the limit must be used: as many orders are in delivery as it permits.
	 */
	private void checkPlaces() {
		trace("check places");
		this.instance.slow = true;
		for (SimulatedPartition partition : this.partitions.values()) {
			for (int i = 0; i < this.properties.concurrency(); i++) {
				append(partition, "c-" + (10 + i), Records.BODY);
			}
		}
		long deadline = this.scheduler.nanoTime() + Duration.ofSeconds(30).toNanos();
		DeliveryLimiter limiter = this.instance.limiter;
		for (int i = 0; limiter.isOpen() || this.instance.inDelivery != limiter.limit(); i++) {
			if (this.scheduler.nanoTime() > deadline) {
				violated("%d orders are in delivery with a limit of %d, circuit open: %s", this.instance.inDelivery,
						limiter.limit(), limiter.isOpen());
			}
			step(i);
		}
		this.instance.process.kill();
	}

	void violated(String format, Object... args) {
		if (this.violation == null) {
			this.violation = String.format(Locale.ROOT, format, args);
		}
	}

	private void trace(String format, Object... args) {
		String event = String.format(Locale.ROOT, "%.6f s: ", this.scheduler.nanoTime() / 1e9)
				+ String.format(Locale.ROOT, format, args);
		this.traceHash = 31 * this.traceHash + event.hashCode();
		this.trace.addLast(event);
		if (this.trace.size() > TRACE) {
			this.trace.removeFirst();
		}
	}

	private void scheduleEvent(int left) {
		this.scheduler.after(delay(100), () -> {
			if (left == 0) {
				this.disorder = false;
			}
			else {
				event();
				scheduleEvent(left - 1);
			}
		});
	}

	private void event() {
		List<SimulatedPartition> all = List.copyOf(this.partitions.values());
		SimulatedPartition some = all.get(this.random.nextInt(all.size()));
		switch (this.random.nextInt(16)) {
			case 0, 1, 2, 3, 4 -> appendSome(some);
			case 5, 6 -> assign(randomPartitions(), false);
			case 7 -> assign(randomPartitions(), true);
			case 8 -> wakeUp();
			case 9 -> failPoll();
			case 10, 11 -> this.backendDown = !this.backendDown && this.random.nextBoolean();
			case 12 -> this.instance.stop();
			case 13 -> crash();
			default -> anotherMember(some);
		}
	}

	private Set<TopicPartition> randomPartitions() {
		Set<TopicPartition> some = new HashSet<>(this.partitions.keySet());
		some.removeIf((_) -> this.random.nextInt(3) == 0);
		return some;
	}

	private void appendSome(SimulatedPartition to) {
		int count = 1 + this.random.nextInt(15);
		for (int i = 0; i < count; i++) {
			// Skips offsets that are never read, as markers of transactions are.
			to.end += this.random.nextInt(10) / 9;
			append(to, "c-" + this.random.nextInt(3), switch (this.random.nextInt(40)) {
				case 0 -> null;
				case 1 -> "no JSON";
				default -> Records.BODY;
			});
		}
	}

	private void append(SimulatedPartition to, String customer, @Nullable String body) {
		trace("record %s of %s, from %s", to.end, to.id, customer);
		to.log.put(to.end,
				Records.order(id(to.id.partition(), to.end)).key(customer).value(body).at(to.id.partition(), to.end));
		to.end++;
		this.instance.arrived();
	}

	private void assign(Set<TopicPartition> ids, boolean lost) {
		SimulatedConsumer consumer = this.instance.consumer;
		if (consumer != null) {
			trace("assign %s%s", ids, lost ? ", the others are lost" : "");
			consumer.rebalanceTo(ids, lost);
		}
	}

	private void wakeUp() {
		if (this.instance.consumer != null) {
			this.instance.consumer.wakeup();
		}
	}

	private void failPoll() {
		if (this.instance.consumer != null) {
			trace("poll fails");
			this.instance.consumer.failNextPoll();
		}
	}

	private void crash() {
		trace("crash");
		this.instance.process.kill();
		if (this.instance.consumer != null) {
			this.instance.consumer.crash();
		}
		this.partitions.values().forEach((partition) -> partition.assigned = false);
		this.instance = new Instance();
		this.instance.start();
	}

	/**
	 * Finishes and commits some records of a partition that this consumer does not have.
	 */
	private void anotherMember(SimulatedPartition of) {
		if (of.assigned || of.end == 0) {
			return;
		}
		long to = Math.min(of.committedOffset() + 1 + this.random.nextInt(10), of.end);
		of.done.addAll(of.log.headMap(to).keySet());
		of.committed = new OffsetAndMetadata(to, CommitMetadata.of(List.of(TOPIC_ID), "").text());
		trace("another member commits %s of %s", to, of.id);
	}

	void subscribed(SimulatedConsumer consumer) {
		this.instance.consumer = consumer;
		assign(this.disorder ? randomPartitions() : this.partitions.keySet(), false);
	}

	void closed(SimulatedConsumer consumer) {
		if (this.instance.consumer == consumer) {
			this.instance.consumer = null;
		}
		this.partitions.values().forEach((partition) -> partition.assigned = false);
	}

	void requireFinished(Map<TopicPartition, OffsetAndMetadata> offsets) {
		offsets.forEach((id, commit) -> {
			long unfinished = partition(id).unfinishedIn(commit);
			if (unfinished >= 0) {
				violated("commit %s of %s says that %s is finished", commit, id, unfinished);
			}
		});
	}

	void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
		trace("committed %s", offsets);
		offsets.forEach((id, commit) -> {
			SimulatedPartition partition = partition(id);
			if (commit.offset() < partition.committedOffset()) {
				violated("the commit of %s goes back from %s to %s", id, partition.committed, commit);
			}
			partition.committed = commit;
		});
	}

	private static UUID id(int partition, long offset) {
		return new UUID(((long) partition << 16) | 0x7000, 0x8000_0000_0000_0000L | offset);
	}

	/** A record of the topic, by the id of its order. */
	private record Position(SimulatedPartition partition, long offset) {
	}

	private Position position(UUID id) {
		int partition = (int) (id.getMostSignificantBits() >> 16);
		return new Position(partition(new TopicPartition(Topics.ORDERS, partition)),
				id.getLeastSignificantBits() & Long.MAX_VALUE);
	}

	/** One process of the consumer. */
	private final class Instance implements Backend {

		private final SeededScheduler.Process process = DeliverySimulation.this.scheduler.new Process();

		/** Assignments of the partitions at the time when a delivery began. */
		private final Map<Thread, Map<TopicPartition, Integer>> assignments = new IdentityHashMap<>();

		/** Deliveries whose order the backend has saved without an answer. */
		private final Set<Thread> savedUnanswered = new HashSet<>();

		/** Keys in delivery, which ordering by key keeps apart. */
		private final Set<String> keys = new HashSet<>();

		/** The highest offset of each key that was in delivery. */
		private final Map<String, Long> latest = new HashMap<>();

		private final DeliveryLimiter limiter;

		private final DeliveryLoop loop;

		private @Nullable SimulatedConsumer consumer;

		private boolean stopping;

		private boolean slow;

		/** Number of deliveries that have started and not ended. */
		private int live;

		private int inDelivery;

		Instance() {
			DeliveryProperties properties = DeliverySimulation.this.properties;
			SeededScheduler time = DeliverySimulation.this.scheduler;
			BackendProperties.Circuit circuit = new BackendProperties.Circuit(Duration.ofSeconds(1),
					Duration.ofSeconds(2));
			this.limiter = new DeliveryLimiter(properties.concurrency(),
					new BackendHealth(circuit, properties.evidenceGap(), time::nanoTime), time);
			Backoff backoff = new Backoff(properties.initialBackoff(), properties.maxBackoff(),
					DeliverySimulation.this.random::nextDouble);
			InstantSource clock = () -> Instant.parse(Records.TIME).plusNanos(time.nanoTime());
			Delivery.Context context = DeliveryTests.context(this, this.limiter,
					new RetryPolicy(backoff, properties.maxAttempts(), properties.maxRetryAfter(), properties.maxAge()),
					new PayloadHistory(10), new SimulatedProducer(this), new SimpleMeterRegistry(),
					this::deliveryThread, time, clock);
			this.loop = new DeliveryLoop(properties, DeliverySimulation.this.topics, DeliverySimulation.this.lost,
					new SimulatedConsumers(), context,
					new PendingRecords(properties.maxPending(), DeliverySimulation.this.maxPendingBytes),
					this::loopThread);
		}

		void start() {
			trace("start");
			this.loop.start();
		}

		void stop() {
			if (!this.stopping) {
				trace("stop");
				this.stopping = true;
				this.process.thread(this.loop::stop).start();
			}
		}

		void arrived() {
			if (this.consumer != null) {
				this.consumer.recordsArrived();
			}
		}

		private Thread loopThread(Runnable task) {
			return this.process.thread(() -> {
				try {
					task.run();
				}
				catch (RuntimeException | Error ex) {
					violated("the loop ended by %s at %s", ex, List.of(ex.getStackTrace()));
				}
				stopped();
			});
		}

		private void stopped() {
			if (!this.stopping) {
				violated("the loop ended");
			}
			trace("stopped");
			DeliverySimulation.this.instance = new Instance();
			DeliverySimulation.this.instance.start();
		}

		private Thread deliveryThread(Runnable task) {
			if (++this.live > DeliverySimulation.this.properties.maxPending()) {
				violated("%s records are read and not finished", this.live);
			}
			Thread thread = this.process.thread(() -> {
				task.run();
				this.live--;
				this.savedUnanswered.remove(Thread.currentThread());
				this.assignments.remove(Thread.currentThread());
			});
			Map<TopicPartition, Integer> now = new HashMap<>();
			DeliverySimulation.this.partitions.forEach((id, partition) -> now.put(id, partition.assignment));
			this.assignments.put(thread, now);
			return thread;
		}

		/** Whether the delivery on this thread started in the current assignment. */
		private boolean isCurrent(SimulatedPartition partition) {
			Map<TopicPartition, Integer> then = this.assignments.get(Thread.currentThread());
			return partition.assigned && then != null && then.get(partition.id) == partition.assignment;
		}

		@Override
		public Attempt deliver(QueuedOrder order) {
			Position position = position(order.id());
			trace("deliver %s at %s", position.partition.id, position.offset);
			if (isCurrent(position.partition) && position.partition.isFinishedAtStart(position.offset)) {
				violated("%s at %s is delivered though its commit says that it is finished", position.partition.id,
						position.offset);
			}
			if (++this.inDelivery > this.limiter.limit()
					|| this.inDelivery > DeliverySimulation.this.properties.concurrency()) {
				violated("%s orders are in delivery with a limit of %s", this.inDelivery, this.limiter.limit());
			}
			String key = "%s %s %s".formatted(position.partition.id, position.partition.assignment, order.customerId());
			boolean ordered = DeliverySimulation.this.properties.ordering() == Ordering.KEY
					&& isCurrent(position.partition);
			if (ordered && !this.keys.add(key)) {
				violated("two orders of %s are in delivery", key);
			}
			if (ordered && this.latest.merge(key, position.offset, Math::max) > position.offset) {
				violated("%s at %s was overtaken", key, position.offset);
			}
			try {
				DeliverySimulation.this.scheduler.sleep(this.slow ? Duration.ofHours(1) : responseTime());
				return answer();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return new RetryLater(FailureReason.interrupted("interrupted"), Reach.ANSWERED);
			}
			finally {
				this.inDelivery--;
				if (ordered) {
					this.keys.remove(key);
				}
			}
		}

		/** May fail, and then nobody knows that the order is saved. */
		@Override
		public @Nullable Saved find(UUID id) {
			try {
				DeliverySimulation.this.scheduler.sleep(delay(50));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return null;
			}
			boolean saved = this.savedUnanswered.remove(Thread.currentThread());
			return (saved && !DeliverySimulation.this.backendDown && !fails(4)) ? new Saved(null) : null;
		}

		private Duration responseTime() {
			return fails(30) ? Duration.ofSeconds(2) : delay(50);
		}

		private Attempt answer() {
			if (DeliverySimulation.this.backendDown) {
				return new RetryLater(FailureReason.unreachable("down"),
						DeliverySimulation.this.random.nextBoolean() ? Reach.ANSWERED : Reach.NOT_REACHED);
			}
			if (!fails(4)) {
				return new Saved(null);
			}
			return switch (DeliverySimulation.this.random.nextInt(6)) {
				case 0 -> new Rejected(FailureReason.refused(400, "400"));
				case 1 -> new Conflict(FailureReason.otherPayload("422"));
				case 2 -> new Throttled(FailureReason.throttled("429"), delay(1_000));
				case 3 -> {
					this.savedUnanswered.add(Thread.currentThread());
					yield new RetryLater(FailureReason.failed(504, "504"), Reach.UNANSWERED);
				}
				default -> new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED);
			};
		}

	}

	private final class SimulatedConsumers extends DefaultKafkaConsumerFactory<byte[], byte[]> {

		SimulatedConsumers() {
			super(Map.of());
		}

		@Override
		public Consumer<byte[], byte[]> createConsumer(@Nullable String groupId, @Nullable String clientIdPrefix,
				@Nullable String clientIdSuffix, @Nullable Properties overrides) {
			if (fails(20)) {
				throw new KafkaException("simulated");
			}
			return new SimulatedConsumer(DeliverySimulation.this,
					Integer.parseInt(overrides.getProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG)));
		}

	}

	/** A producer that acknowledges after a time, in any order, or fails. */
	private final class SimulatedProducer extends MockProducer<byte[], byte[]> {

		private final Instance owner;

		SimulatedProducer(Instance owner) {
			super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
			this.owner = owner;
		}

		@Override
		public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
			if (record.topic().equals(Topics.ORDERS_DLT)
					&& this.owner.savedUnanswered.contains(Thread.currentThread())) {
				violated("%s becomes a dead letter though it is saved", record.headers());
			}
			Position done = finished(record);
			boolean current = done != null && this.owner.isCurrent(done.partition);
			int assignment = (done != null) ? done.partition.assignment : 0;
			boolean failed = fails(8);
			CompletableFuture<RecordMetadata> answer = new CompletableFuture<>();
			DeliverySimulation.this.scheduler.after(delay(30), () -> {
				if (failed) {
					answer.completeExceptionally(new TimeoutException("simulated"));
					return;
				}
				if (done != null) {
					done.partition.done.add(done.offset);
					if (current && assignment == done.partition.assignment
							&& !done.partition.doneInAssignment.add(done.offset)) {
						violated("%s at %s is finished twice", done.partition.id, done.offset);
					}
				}
				answer.complete(null);
			});
			return answer;
		}

		/**
		 * The record of the topic that a published record finishes; null if it finishes
		 * none.
		 */
		private @Nullable Position finished(ProducerRecord<byte[], byte[]> record) {
			if (record.topic().equals(Topics.ORDERS_DLT)) {
				// An outcome follows.
				return null;
			}
			List<String> key = List.of(new String(record.key(), StandardCharsets.US_ASCII).split("/"));
			boolean last = !key.get(1).equals("retrying");
			return last ? position(UUID.fromString(key.get(0))) : null;
		}

	}

}
