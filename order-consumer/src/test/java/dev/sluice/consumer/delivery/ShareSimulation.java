package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.DeliveryProperties.Ordering;
import dev.sluice.consumer.DeliveryProperties.Source;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.unit.DataSize;

/**
 * Simulates one life of a share group with one consumer process. A seed decides how the
 * backend and Kafka answer and fail, when the process is killed or stopped, and which
 * thread runs when. The broker archives records that are delivered too often. The
 * simulation checks at each step that no unfinished record is accepted, and in the end
 * that all records are finished.
 */
final class ShareSimulation {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final TopicPartition PARTITION = new TopicPartition(Topics.ORDERS, 0);

	private static final int DELIVERY_LIMIT = 5;

	private static final Duration LOCK = Duration.ofSeconds(15);

	private static final Duration LONG_DRAIN = Duration.ofMinutes(4);

	/** For an attempt that takes 20 s, publishing and closing. */
	private static final Duration MAX_STOP = Duration.ofMinutes(1);

	private static final int EVENTS = 60;

	private static final int MAX_STEPS = 400_000;

	private final Random random;

	private final SeededScheduler scheduler;

	private final DeliveryProperties properties;

	private final Map<Long, Entry> log = new LinkedHashMap<>();

	/** Orders whose last outcome Kafka has. */
	private final Set<UUID> done = new HashSet<>();

	private Instance instance;

	private boolean disorder = true;

	private boolean backendDown;

	private int renewals;

	private int placedAgain;

	private @Nullable String violation;

	/** A record, and the broker's state of it. */
	private static final class Entry {

		private final ConsumerRecord<byte[], byte[]> record;

		private final UUID order;

		private int deliveries;

		private @Nullable SimulatedShareConsumer owner;

		private long lockedUntilNanos;

		private boolean accepted;

		/** Whether Kafka has another record of the order behind this one. */
		private boolean replaced;

		Entry(ConsumerRecord<byte[], byte[]> record, UUID order) {
			this.record = record;
			this.order = order;
		}

	}

	ShareSimulation(long seed) {
		this.random = new Random(seed);
		this.scheduler = new SeededScheduler(this.random);
		int concurrency = 1 + this.random.nextInt(6);
		this.properties = new DeliveryProperties(true, concurrency, 1 + this.random.nextInt(4), Duration.ofSeconds(1),
				Duration.ZERO, Duration.ofSeconds(5), Duration.ofMillis(50), Duration.ofSeconds(2), 1_000,
				DataSize.ofMegabytes(64), Duration.ofMillis(20), Duration.ofMillis(300),
				this.random.nextBoolean() ? delay(500) : LONG_DRAIN, "simulated", Ordering.NONE, Source.SHARE_GROUP,
				1 + this.random.nextInt(4));
		this.instance = new Instance();
	}

	private Duration delay(long maxMillis) {
		return Duration.ofNanos(this.random.nextLong(maxMillis * 1_000_000L));
	}

	private boolean fails(int once) {
		return this.disorder && this.random.nextInt(once) == 0;
	}

	/** How often locks were renewed and records placed again. */
	record Seen(int renewals, int placedAgain) {
	}

	Seen run() {
		this.instance.source.start();
		scheduleEvent(EVENTS);
		int steps = 0;
		while (this.disorder) {
			step(steps++);
		}
		this.backendDown = false;
		while (!isSettled()) {
			step(steps++);
		}
		this.instance.process.kill();
		return new Seen(this.renewals, this.placedAgain);
	}

	private void step(int number) {
		if (!this.scheduler.step()) {
			violated("nothing can go on");
		}
		if (number > MAX_STEPS) {
			violated("lost or stuck after %s s: %s", this.scheduler.nanoTime() / 1e9, this.log.values()
				.stream()
				.filter((entry) -> !entry.accepted)
				.map((entry) -> "%d: %d deliveries, %s".formatted(entry.record.offset(), entry.deliveries, entry.owner))
				.toList());
		}
		if (this.violation != null) {
			throw new AssertionError(this.violation + "\n" + this.properties);
		}
	}

	private boolean isSettled() {
		return this.log.values().stream().allMatch((entry) -> entry.accepted && this.done.contains(entry.order));
	}

	private void violated(String format, Object... args) {
		if (this.violation == null) {
			this.violation = format.formatted(args);
		}
	}

	private void scheduleEvent(int left) {
		this.scheduler.after(delay(500), () -> {
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
		switch (this.random.nextInt(10)) {
			case 0, 1, 2, 3 -> {
				for (int i = this.random.nextInt(10); i >= 0; i--) {
					UUID id = new UUID(this.random.nextLong(), this.random.nextLong());
					append(Records.order(id).at(0, this.log.size()), id);
				}
			}
			case 4 -> this.backendDown = !this.backendDown && this.random.nextBoolean();
			case 5 -> stop();
			case 6, 7 -> crash();
			default -> {
				// Time passes.
			}
		}
	}

	private void append(ConsumerRecord<byte[], byte[]> record, UUID order) {
		this.log.put(record.offset(), new Entry(record, order));
	}

	/** Kills the process. The broker immediately notices that its connections end. */
	private void crash() {
		this.instance.process.kill();
		this.instance.consumers.forEach(this::release);
		this.instance = new Instance();
		this.instance.source.start();
	}

	private void stop() {
		Instance stopping = this.instance;
		if (!stopping.stopping) {
			stopping.stopping = true;
			stopping.process.thread(() -> {
				long began = this.scheduler.nanoTime();
				stopping.source.stop();
				if (this.scheduler.nanoTime() - began > MAX_STOP.toNanos()) {
					violated("stopping took %s s", (this.scheduler.nanoTime() - began) / 1e9);
				}
				if (this.instance == stopping) {
					this.instance = new Instance();
					this.instance.source.start();
				}
			}).start();
		}
	}

	private void release(SimulatedShareConsumer consumer) {
		consumer.closed = true;
		this.log.values().stream().filter((entry) -> entry.owner == consumer).forEach(this::release);
	}

	private void release(Entry entry) {
		entry.owner = null;
		if (entry.deliveries >= DELIVERY_LIMIT && !entry.accepted) {
			// Archived: nobody gets it any more.
			entry.accepted = true;
			if (!this.done.contains(entry.order) && !entry.replaced) {
				violated("the record at %d is archived and lost", entry.record.offset());
			}
		}
	}

	private void expire() {
		this.log.values()
			.stream()
			.filter((entry) -> entry.owner != null && entry.lockedUntilNanos <= this.scheduler.nanoTime())
			.forEach(this::release);
	}

	/** One process of the consumer. */
	private final class Instance {

		private final SeededScheduler.Process process = ShareSimulation.this.scheduler.new Process();

		private final List<SimulatedShareConsumer> consumers = new ArrayList<>();

		private final ShareSource source;

		private int inDelivery;

		private boolean stopping;

		Instance() {
			DeliveryProperties properties = ShareSimulation.this.properties;
			SeededScheduler time = ShareSimulation.this.scheduler;
			DeliveryLimiter limiter = new DeliveryLimiter(properties.concurrency(),
					new BackendHealth(
							new BackendProperties.Circuit(5, 50, Duration.ofSeconds(10), 20, Duration.ofSeconds(2), 2),
							properties.evidenceGap(), time::nanoTime),
					time);
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			Backoff backoff = new Backoff(properties.initialBackoff(), properties.maxBackoff(),
					ShareSimulation.this.random::nextDouble);
			SimulatedProducer producer = new SimulatedProducer();
			ReliablePublisher publisher = new ReliablePublisher(() -> producer, backoff, time);
			Delivery.Context context = new Delivery.Context(new RecordReader(), new PayloadHistory(10), limiter,
					this::deliver,
					new RetryPolicy(backoff, properties.maxAttempts(), properties.maxRetryAfter(), properties.maxAge()),
					new OutcomePublisher(publisher, JSON, registry), new DeadLetters(publisher, registry),
					new DeliveryTimers(registry), this.process::thread, time,
					() -> Instant.parse(Records.TIME).plusNanos(time.nanoTime()));
			this.source = new ShareSource(properties, () -> DELIVERY_LIMIT, () -> {
				SimulatedShareConsumer consumer = new SimulatedShareConsumer();
				this.consumers.add(consumer);
				return consumer;
			}, context, publisher, new PendingRecords(1_000, Long.MAX_VALUE), (task) -> this.process.thread(() -> {
				try {
					task.run();
				}
				catch (RuntimeException | Error ex) {
					violated("a consumer ended by %s at %s", ex, List.of(ex.getStackTrace()));
				}
			}));
		}

		private Attempt deliver(QueuedOrder order) {
			if (++this.inDelivery > ShareSimulation.this.properties.concurrency()) {
				violated("%d orders are in delivery", this.inDelivery);
			}
			try {
				ShareSimulation.this.scheduler.sleep(fails(10) ? Duration.ofSeconds(20) : delay(50));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return new RetryLater(FailureReason.interrupted("interrupted"), true);
			}
			finally {
				this.inDelivery--;
			}
			if (ShareSimulation.this.backendDown) {
				return new RetryLater(FailureReason.unreachable("down"), false);
			}
			if (!fails(5)) {
				return new Saved(null);
			}
			return ShareSimulation.this.random.nextBoolean() ? new Rejected(FailureReason.refused(400, "400"))
					: new RetryLater(FailureReason.failed(500, "500"), true);
		}

	}

	/** A share consumer as that of Kafka 4.2 with explicit acknowledgement. */
	private final class SimulatedShareConsumer extends MockShareConsumer<byte[], byte[]> {

		/**
		 * The records that the application holds; the value is null until a record is
		 * acknowledged.
		 */
		private final Map<Long, Optional<AcknowledgeType>> batch = new HashMap<>();

		private final Set<Long> renewed = new HashSet<>();

		private boolean closed;

		@Override
		public void subscribe(Collection<String> topics) {
			// The broker assigns the only partition.
		}

		@Override
		public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
			if (this.batch.values().stream().anyMatch(Optional::isEmpty)) {
				throw new IllegalStateException("All records must be acknowledged");
			}
			if (fails(50)) {
				throw new KafkaException("simulated");
			}
			send();
			List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
			if (!this.renewed.isEmpty()) {
				this.renewed.forEach((offset) -> records.add(ShareSimulation.this.log.get(offset).record));
				this.renewed.clear();
			}
			else {
				sleep(delay(10));
				fetch(records);
				if (records.isEmpty()) {
					sleep(timeout);
				}
			}
			records.forEach((record) -> this.batch.put(record.offset(), Optional.empty()));
			return new ConsumerRecords<>(records.isEmpty() ? Map.of() : Map.of(PARTITION, records), Map.of());
		}

		private void fetch(List<ConsumerRecord<byte[], byte[]>> into) {
			expire();
			ShareSimulation.this.log.values()
				.stream()
				.filter((entry) -> !this.closed && !entry.accepted && entry.owner == null)
				.limit(ShareSimulation.this.properties.shareBatch())
				.forEach((entry) -> {
					entry.owner = this;
					entry.deliveries++;
					entry.lockedUntilNanos = ShareSimulation.this.scheduler.nanoTime() + LOCK.toNanos();
					ConsumerRecord<byte[], byte[]> record = entry.record;
					into.add(new ConsumerRecord<>(record.topic(), record.partition(), record.offset(),
							record.timestamp(), TimestampType.CREATE_TIME, record.serializedKeySize(),
							record.serializedValueSize(), record.key(), record.value(), record.headers(),
							Optional.empty(), Optional.of((short) entry.deliveries)));
				});
		}

		@Override
		public void acknowledge(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
			if (!this.batch.containsKey(record.offset())) {
				throw new IllegalStateException("The record at %d is not in the batch".formatted(record.offset()));
			}
			Entry entry = ShareSimulation.this.log.get(record.offset());
			if (type == AcknowledgeType.ACCEPT && !ShareSimulation.this.done.contains(entry.order) && !entry.replaced) {
				violated("the record at %d is accepted and not finished", record.offset());
			}
			this.batch.put(record.offset(), Optional.of(type));
		}

		private void send() {
			expire();
			Map<Long, AcknowledgeType> sent = new HashMap<>();
			this.batch.forEach((offset, type) -> type.ifPresent((of) -> sent.put(offset, of)));
			this.batch.keySet().removeAll(sent.keySet());
			if (sent.containsValue(AcknowledgeType.RENEW) && Set.copyOf(sent.values()).size() > 1) {
				violated("one request does not only renew");
			}
			boolean refused = fails(10);
			sent.forEach((offset, type) -> {
				Entry entry = ShareSimulation.this.log.get(offset);
				if (refused || entry.owner != this) {
					return;
				}
				switch (type) {
					case ACCEPT -> {
						entry.accepted = true;
						entry.owner = null;
					}
					case RENEW -> {
						ShareSimulation.this.renewals++;
						entry.lockedUntilNanos = ShareSimulation.this.scheduler.nanoTime() + LOCK.toNanos();
						this.renewed.add(offset);
					}
					case RELEASE -> release(entry);
					case REJECT -> violated("the record at %d is rejected", offset);
				}
			});
		}

		@Override
		public void commitAsync() {
			send();
		}

		@Override
		public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
			sleep(delay(20));
			send();
			if (fails(20)) {
				throw new TimeoutException("simulated");
			}
			return Map.of();
		}

		@Override
		public Optional<Integer> acquisitionLockTimeoutMs() {
			return Optional.of((int) LOCK.toMillis());
		}

		private void sleep(Duration duration) {
			try {
				ShareSimulation.this.scheduler.sleep(duration);
			}
			catch (InterruptedException ex) {
				throw new InterruptException(ex);
			}
		}

		@Override
		public void close(Duration timeout) {
			send();
			release(this);
		}

	}

	/** A producer that acknowledges after a time, or fails. */
	private final class SimulatedProducer extends MockProducer<byte[], byte[]> {

		SimulatedProducer() {
			super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
		}

		@Override
		public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
			boolean failed = fails(8);
			ShareSimulation.this.scheduler.after(delay(30), () -> {
				if (failed) {
					callback.onCompletion(null, new TimeoutException("simulated"));
					return;
				}
				stored(record);
				callback.onCompletion(null, null);
			});
			return new CompletableFuture<>();
		}

		private void stored(ProducerRecord<byte[], byte[]> record) {
			switch (record.topic()) {
				case Topics.ORDERS -> {
					String id = new String(record.headers().lastHeader(OrderHeaders.ID).value(),
							StandardCharsets.UTF_8);
					UUID order = UUID.fromString(id);
					ShareSimulation.this.placedAgain++;
					ShareSimulation.this.log.values()
						.stream()
						.filter((entry) -> entry.order.equals(order))
						.forEach((entry) -> entry.replaced = true);
					append(Records.order(order).at(0, ShareSimulation.this.log.size()), order);
				}
				case Topics.ORDER_OUTCOMES -> {
					List<String> key = List.of(new String(record.key(), StandardCharsets.US_ASCII).split("/"));
					if (!key.get(1).equals("retrying")) {
						ShareSimulation.this.done.add(UUID.fromString(key.get(0)));
					}
				}
				default -> {
					// A dead letter: its outcome comes next.
				}
			}
		}

	}

}
