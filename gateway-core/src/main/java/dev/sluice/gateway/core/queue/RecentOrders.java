package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.BoundedBytesDeserializer;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.stereotype.Component;

/**
 * The orders that are in Kafka and not yet in PostgreSQL. Each gateway reads
 * {@link Topics#ORDERS}, and the outcomes of synchronous orders in
 * {@link Topics#ORDER_OUTCOMES}, from the committed offsets of the status projection to
 * the end, and stays there. An order is forgotten when the projection has committed its
 * record, because PostgreSQL has it from then on. So all gateways know the same orders,
 * even after a restart.
 * <p>
 * One thread reads, as no member of the group, and asks every half second for the
 * committed offsets. Another one asks Kafka for the ends of the topics, for all callers
 * that wait: over a connection of its own, on which no answer waits for records. If there
 * are more records than {@code status.recent-orders}, the oldest are dropped, and
 * {@link #caughtUp} returns {@link Reading#BEHIND} until the projection has passed them.
 * <p>
 * No method blocks, and no thread waits for another one's lock: if requests run on
 * virtual threads and the cores are busy, the reading thread would wait behind them for
 * so long that Kafka seemed lost.
 */
@Component
public class RecentOrders extends KnownOrders implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(RecentOrders.class);

	private static final String READER = "recent-orders";

	private static final String ASKER = "recent-orders-ends";

	/** Interval between two looks at the topics and the committed offsets. */
	static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

	/** Longest wait before a thread looks around: whether to stop, and for an answer. */
	private static final Duration WAIT = Duration.ofMillis(100);

	/**
	 * Kafka counts as lost after this many waits in a row without an answer, 3 s. If the
	 * whole gateway stands still, that is one wait.
	 */
	private static final int LOST = 30;

	/** A batch of this many records means that there are more. */
	static final int FULL_BATCH = 2_000;

	private static final int TIMEOUT_MILLIS = 2_000;

	private final Supplier<Admin> admins;

	private final Supervisor supervisor;

	private final Duration wait;

	private final RecentReader topics;

	/** What the next question will answer. */
	private final AtomicReference<CompletableFuture<Reading>> next = new AtomicReference<>(new CompletableFuture<>());

	/** One for each call that no question has answered yet. */
	private final Semaphore calls = new Semaphore(0);

	/** Waits without an answer since the last one. */
	private final AtomicInteger silentWaits = new AtomicInteger();

	private volatile long lag;

	private volatile boolean running;

	private volatile @Nullable Thread reader;

	private volatile @Nullable Thread asker;

	/** What the question under way answers. Confined to the asker. */
	private CompletableFuture<Reading> asked = new CompletableFuture<>();

	@Autowired
	public RecentOrders(StatusProperties properties, OrderTopics topics, ConsumerFactory<?, ?> consumers,
			KafkaAdmin admins, JsonMapper json, MeterRegistry meters, Supervisor supervisor) {
		this(properties, topics::ids, () -> Admin.create(config(admins.getConfigurationProperties())),
				() -> consumer(config(consumers.getConfigurationProperties()), properties.projectionGroup()), json,
				meters, supervisor, WAIT);
	}

	/**
	 * @param topics the ids of the topics; empty while one is missing
	 * @param admins opens a client that asks, again after each failure
	 * @param consumers opens a client that reads, again after each failure
	 * @param wait see {@link #WAIT}
	 */
	RecentOrders(StatusProperties properties, Supplier<Map<String, Uuid>> topics, Supplier<Admin> admins,
			Supplier<Consumer<byte[], byte[]>> consumers, JsonMapper json, MeterRegistry meters, Supervisor supervisor,
			Duration wait) {
		super(properties.recentOrders());
		this.topics = new RecentReader(this, topics, consumers, json, () -> LockSupport.unpark(this.asker));
		this.admins = admins;
		this.supervisor = supervisor;
		this.wait = wait;
		GatewayMetric.RECENT_ORDERS.gauge(meters, this, KnownOrders::size);
		GatewayMetric.RECENT_LAG.gauge(meters, this, (recent) -> recent.lag);
	}

	/** What both clients have: they detect within 2 s that a broker does not answer. */
	private static Map<String, Object> config(Map<String, Object> given) {
		Map<String, Object> config = new HashMap<>(given);
		config.put(CommonClientConfigs.CLIENT_ID_CONFIG, READER);
		config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
		return config;
	}

	/**
	 * Reads, without a place in a consumer group.
	 * @param group the group whose committed offsets it asks for
	 */
	private static Consumer<byte[], byte[]> consumer(Map<String, Object> config, String group) {
		config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
		config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		// Before anybody writes to it, a new partition is read.
		config.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, LOOK_INTERVAL.toMillis());
		// A backlog is read in small portions, because the heap may be small.
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, FULL_BATCH);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 * 1024);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 2 * 1024 * 1024);
		return new KafkaConsumer<>(config, new BoundedBytesDeserializer(), new BoundedBytesDeserializer());
	}

	/** Whether PostgreSQL may lack the outcomes of orders that ended seconds ago. */
	public boolean isProjectionBehind() {
		return isUncommittedFor(this.wait.multipliedBy(LOST));
	}

	/**
	 * Waits until everything has been read that was in the topics when this was called.
	 * Calls that arrive while Kafka is being asked share the next question.
	 * @param limit maximum time to wait; then the result is {@link Reading#BEHIND}
	 * @return whether it has been read; never fails, and completes on a thread that must
	 * not be blocked
	 */
	public CompletableFuture<Reading> caughtUp(Duration limit) {
		if (isLost()) {
			return CompletableFuture.completedFuture(withoutKafka());
		}
		CompletableFuture<Reading> answer = this.next.get().copy();
		// Only now, so that the question that ends it is not asked before.
		this.calls.release();
		return answer.completeOnTimeout(Reading.BEHIND, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	private boolean isLost() {
		return this.silentWaits.get() >= LOST;
	}

	@Override
	public void start() {
		this.running = true;
		this.reader = this.supervisor.start(READER, () -> this.topics.read(() -> goesOn(READER)));
		this.asker = this.supervisor.start(ASKER, this::ask);
	}

	/** Called by a thread that has done what it does again and again. */
	private boolean goesOn(String thread) {
		this.supervisor.succeeded(thread);
		return this.running;
	}

	/** Answers the callers until it fails, or is to stop. */
	private Duration ask() throws InterruptedException {
		try {
			Admin client = this.admins.get();
			try {
				do {
					// Without a caller, too: the lag is measured.
					this.calls.tryAcquire(LOOK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
					this.calls.drainPermits();
					this.asked = this.next.getAndSet(new CompletableFuture<>());
					answer(readToEnds(client));
				}
				while (goesOn(ASKER));
			}
			finally {
				// Without waiting for open questions.
				client.close(Duration.ZERO);
			}
		}
		finally {
			answerAll(Reading.BEHIND);
		}
		throw new InterruptedException("Stopped");
	}

	/** Answers the callers on another thread, because this one must go on. */
	private void answer(Reading reading) {
		this.asked.completeAsync(() -> reading);
	}

	private void answerAll(Reading reading) {
		answer(reading);
		this.asked = this.next.getAndSet(new CompletableFuture<>());
		answer(reading);
	}

	/** Asks Kafka for the ends of the partitions, and waits until they have been read. */
	private Reading readToEnds(Admin client) throws InterruptedException {
		Map<TopicPartition, KnownOrders.Part> parts = parts();
		for (int waits = 0; parts.isEmpty() && this.running && waits < LOST; waits++) {
			LockSupport.parkNanos(this.wait.toNanos());
			parts = parts();
		}
		if (parts.isEmpty()) {
			return Reading.BEHIND;
		}
		Map<TopicPartition, ListOffsetsResultInfo> ends = answer(client
			.listOffsets(parts.keySet().stream().collect(Collectors.toMap((part) -> part, (_) -> OffsetSpec.latest())))
			.all());
		if (ends == null) {
			return isLost() ? withoutKafka() : Reading.BEHIND;
		}
		// There may be much to read: a caller need not wait for all of it.
		long deadlineNanos = System.nanoTime() + LOST * this.wait.toNanos();
		do {
			long left = 0;
			for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends.entrySet()) {
				Part part = Objects.requireNonNull(parts.get(end.getKey()));
				left += Math.max(0, end.getValue().offset() - part.position());
			}
			this.lag = left;
			if (left == 0) {
				return atEnd(parts);
			}
			LockSupport.unpark(this.reader);
			LockSupport.parkNanos(this.wait.toNanos());
		}
		while (this.running && parts() == parts && System.nanoTime() - deadlineNanos < 0);
		return Reading.BEHIND;
	}

	/**
	 * Waits for an answer of Kafka. If Kafka is lost, the callers need not wait for it.
	 * @return null if there is none
	 */
	private <T> @Nullable T answer(KafkaFuture<T> question) throws InterruptedException {
		while (this.running) {
			try {
				T answer = question.get(this.wait.toNanos(), TimeUnit.NANOSECONDS);
				if (this.silentWaits.getAndSet(0) >= LOST) {
					logger.info("The recent orders are read from Kafka again");
				}
				return answer;
			}
			catch (ExecutionException ex) {
				if (!(ex.getCause() instanceof RetriableException)) {
					throw new KafkaException("Kafka does not tell the ends of its topics", ex.getCause());
				}
				silent();
				return null;
			}
			catch (TimeoutException _) {
				silent();
			}
		}
		return null;
	}

	private void silent() {
		if (this.silentWaits.incrementAndGet() == LOST) {
			logger.warn("The recent orders cannot be read: Kafka has not answered for {} s",
					this.wait.multipliedBy(LOST).toSeconds());
		}
		if (isLost()) {
			answerAll(withoutKafka());
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.calls.release();
		try {
			for (Thread thread : Arrays.asList(this.asker, this.reader)) {
				if (thread != null) {
					LockSupport.unpark(thread);
					thread.join(Duration.ofSeconds(3));
				}
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

	/** Started before the web server and stopped after it. */
	@Override
	public int getPhase() {
		return 0;
	}

}
