package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.queue.CatchUp.Round;
import dev.sluice.gateway.core.queue.RecentPartitions.Rest;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The orders that are in Kafka and not yet in PostgreSQL. Each gateway reads
 * {@link Topics#ORDERS}, and the outcomes of synchronous orders in
 * {@link Topics#ORDER_OUTCOMES}, from the committed offsets of the status projection to
 * the end, and stays there. An order is forgotten when the projection has committed its
 * record, because PostgreSQL has it from then on. So all gateways know the same orders,
 * even after a restart.
 * <p>
 * One thread reads, without a consumer group. It resumes by itself after an outage, and
 * from the log's start after a topic was deleted. At most {@code status.recent-orders}
 * are kept. When there are more, the oldest are dropped, and {@link #caughtUp} returns
 * {@link Reading#BEHIND} until the projection has passed them.
 * <p>
 * No method blocks. A request hands its task over to another thread and never waits for a
 * lock: if requests run on virtual threads and the cores are busy, the reading thread
 * would wait behind them for so long that Kafka seemed lost.
 */
@Component
public class RecentOrders implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(RecentOrders.class);

	private static final Set<String> TOPICS = Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	/** Interval between two snapshots of topics and committed offsets. */
	private static final Duration SNAPSHOT_INTERVAL = Duration.ofMillis(500);

	/** Kafka counts as lost when it has not answered for this long. */
	private static final Duration LOST = Duration.ofSeconds(3);

	/** Pause between two reads, so that a gateway under load reads larger batches. */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration POLL = Duration.ofMillis(100);

	private static final Duration RETRY = Duration.ofSeconds(1);

	/**
	 * Maximum number of tasks that wait, some 100 bytes each. Without its task a request
	 * is {@link Reading#BEHIND}, and an order is known when it has been read.
	 */
	static final int MAX_WAITING = 10_000;

	private final Supplier<RecentClients> clients;

	private final JsonMapper json;

	private final Executor tasks;

	/** Number of tasks that were handed over and have not begun. */
	private final AtomicInteger waiting = new AtomicInteger();

	private final LongSupplier nanoTime;

	private final LongConsumer parkNanos;

	private final String group;

	private final KnownOrders orders = new KnownOrders();

	private final Object lock = new Object();

	@GuardedBy("lock")
	private final RecentPartitions partitions;

	@GuardedBy("lock")
	private final CatchUp catchUp;

	@GuardedBy("lock")
	private @Nullable Admin admin;

	private volatile long lastResponseNanos;

	/** When it was last checked whether Kafka is lost. Confined to the reading thread. */
	private long checkNanos;

	private volatile boolean lost;

	private volatile long lag;

	private volatile boolean running;

	private volatile @Nullable Thread thread;

	/** Whether an outage was logged. Confined to the reading thread. */
	private boolean outage;

	@Autowired
	public RecentOrders(StatusProperties properties, ConsumerFactory<?, ?> consumers, KafkaAdmin admins,
			JsonMapper json, MeterRegistry meters) {
		this(properties,
				() -> RecentClients.open(admins.getConfigurationProperties(), consumers.getConfigurationProperties()),
				json, meters, tasks(), System::nanoTime, LockSupport::parkNanos);
	}

	/** One thread, which ends when it is not used. Its queue has no lock. */
	private static Executor tasks() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedTransferQueue<>(),
				Thread.ofPlatform().daemon().name("recent-orders-tasks").factory());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * @param clients opens the clients, again after each failure
	 * @param tasks runs the tasks of requests, one after another
	 * @param nanoTime as {@link System#nanoTime}
	 * @param parkNanos as {@link LockSupport#parkNanos(long)}
	 */
	RecentOrders(StatusProperties properties, Supplier<RecentClients> clients, JsonMapper json, MeterRegistry meters,
			Executor tasks, LongSupplier nanoTime, LongConsumer parkNanos) {
		this.group = properties.projectionGroup();
		this.partitions = new RecentPartitions(this.orders, properties.recentOrders());
		this.clients = clients;
		this.json = json;
		this.tasks = tasks;
		this.nanoTime = nanoTime;
		this.parkNanos = parkNanos;
		this.catchUp = new CatchUp(nanoTime);
		this.lastResponseNanos = nanoTime.getAsLong();
		GatewayMetric.RECENT_ORDERS.gauge(meters, this, (recent) -> recent.orders.size());
		GatewayMetric.RECENT_LAG.gauge(meters, this, (recent) -> recent.lag);
	}

	/** The acceptance of an order; null if none is known. */
	public @Nullable Acceptance acceptance(UUID id) {
		return this.orders.acceptance(id);
	}

	/** The synchronous save of an order; null if none is known. */
	public @Nullable SyncSave syncSave(UUID id) {
		return this.orders.syncSave(id);
	}

	/**
	 * Waits until everything has been read that was in the topics when this was called.
	 * Calls that arrive while Kafka is being asked share the next question.
	 * @param limit maximum time to wait; then the result is {@link Reading#BEHIND}
	 * @return whether it has been read; never fails, and completes on a thread that must
	 * not be blocked
	 */
	public CompletableFuture<Reading> caughtUp(Duration limit) {
		if (this.lost) {
			return CompletableFuture.completedFuture(Reading.UNREACHABLE);
		}
		CompletableFuture<Reading> done = new CompletableFuture<>();
		if (!handOver(() -> join(done))) {
			return CompletableFuture.completedFuture(Reading.BEHIND);
		}
		return done.completeOnTimeout(Reading.BEHIND, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void join(CompletableFuture<Reading> caller) {
		synchronized (this.lock) {
			this.catchUp.join().thenAccept(caller::complete);
			ask();
		}
	}

	/**
	 * Runs a task on another thread.
	 * @return false if too many tasks wait; then it is not run
	 */
	private boolean handOver(Runnable task) {
		if (this.waiting.incrementAndGet() > MAX_WAITING) {
			this.waiting.decrementAndGet();
			return false;
		}
		this.tasks.execute(() -> {
			this.waiting.decrementAndGet();
			task.run();
		});
		return true;
	}

	/**
	 * Kafka has acknowledged an order of this gateway.
	 * @param id the order's id
	 * @param fingerprint the payload's fingerprint if the id may be used again, else null
	 * @param acceptedAt when it was accepted
	 * @param partition the partition of its record
	 * @param offset the offset of its record
	 */
	public void accepted(UUID id, @Nullable Fingerprint fingerprint, Instant acceptedAt, int partition, long offset) {
		handOver(() -> acknowledged(new TopicPartition(Topics.ORDERS, partition), id,
				new Acceptance(fingerprint, acceptedAt, acceptedAt, offset, offset)));
	}

	private void acknowledged(TopicPartition partition, UUID id, Acceptance acceptance) {
		synchronized (this.lock) {
			if (this.partitions.acknowledge(partition, acceptance.firstOffset(), id)) {
				this.orders.accept(id, acceptance);
			}
		}
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.orders.publishing(id, fingerprint, savedAt);
	}

	/**
	 * The outcome of a synchronous order has been acknowledged. Called by the producer's
	 * thread, so it may wait for the lock.
	 */
	void published(UUID id, int partition, long offset) {
		synchronized (this.lock) {
			TopicPartition outcomes = new TopicPartition(Topics.ORDER_OUTCOMES, partition);
			this.orders.published(id, offset, this.partitions.acknowledge(outcomes, offset, id));
		}
	}

	/** The outcome of a synchronous order has not been published. */
	void notPublished(UUID id) {
		this.orders.notPublished(id);
	}

	/**
	 * Checks whether Kafka is lost. Only the reading thread can tell: if it is late
	 * itself by {@link #LOST}, the whole gateway has stood still and has taken no answer,
	 * so Kafka gets this time once more.
	 */
	private boolean checkLost() {
		long now = this.nanoTime.getAsLong();
		if (now - this.checkNanos > LOST.toNanos() && !this.lost) {
			this.lastResponseNanos = now;
		}
		this.checkNanos = now;
		this.lost = now - this.lastResponseNanos > LOST.toNanos();
		return this.lost;
	}

	@Override
	public void start() {
		this.running = true;
		this.lastResponseNanos = this.nanoTime.getAsLong();
		this.lost = false;
		Thread reader = Thread.ofPlatform().daemon().name("recent-orders").unstarted(this::run);
		this.thread = reader;
		reader.start();
	}

	private void run() {
		while (this.running) {
			try (RecentClients opened = this.clients.get()) {
				try {
					synchronized (this.lock) {
						this.admin = opened.admin();
					}
					read(opened.admin(), opened.consumer());
				}
				finally {
					// Before the clients are closed, so that no caller uses a closed one.
					reset();
				}
			}
			catch (KafkaException ex) {
				warn(ex);
			}
			catch (RuntimeException | Error ex) {
				bug(ex);
			}
			if (this.running) {
				// Whatever Kafka's clients took to open or to close was no pause.
				this.checkNanos = this.nanoTime.getAsLong();
				this.parkNanos.accept(RETRY.toNanos());
				if (checkLost()) {
					giveUp();
				}
			}
		}
	}

	private void read(Admin client, Consumer<byte[], byte[]> consumer) {
		CompletableFuture<TopicsSnapshot> snapshot = null;
		long snapshotNanos = this.nanoTime.getAsLong() - SNAPSHOT_INTERVAL.toNanos();
		this.checkNanos = this.nanoTime.getAsLong();
		while (this.running) {
			if (snapshot == null && this.nanoTime.getAsLong() - snapshotNanos >= SNAPSHOT_INTERVAL.toNanos()) {
				snapshotNanos = this.nanoTime.getAsLong();
				snapshot = TopicsSnapshot.take(client, TOPICS, this.group, this::responded);
			}
			if (snapshot != null && snapshot.isDone()) {
				apply(snapshot, consumer);
				snapshot = null;
			}
			if (checkLost()) {
				warn(new TimeoutException("no answer for %d s".formatted(LOST.toSeconds())));
				giveUp();
			}
			if (consumer.assignment().isEmpty()) {
				this.parkNanos.accept(PAUSE.toNanos());
				continue;
			}
			ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
			boolean awaited = apply(records, consumer);
			if (!records.isEmpty() && records.count() < RecentClients.FULL_BATCH && !awaited) {
				this.parkNanos.accept(PAUSE.toNanos());
			}
		}
	}

	private void responded() {
		this.lastResponseNanos = this.nanoTime.getAsLong();
	}

	private void apply(CompletableFuture<TopicsSnapshot> done, Consumer<byte[], byte[]> consumer) {
		if (done.isCompletedExceptionally()) {
			Throwable failure = TopicsSnapshot.cause(done.exceptionNow());
			// A short outage is not logged; lost() detects a long one.
			if (!(failure instanceof TimeoutException)) {
				warn(failure);
			}
			return;
		}
		TopicsSnapshot snapshot = done.resultNow();
		if (this.outage) {
			this.outage = false;
			logger.info("The recent orders are read from Kafka again");
		}
		synchronized (this.lock) {
			if (this.partitions.isOutdated(snapshot)) {
				this.partitions.assign(snapshot, consumer);
				// An earlier question does not cover the new partitions.
				finish(Reading.BEHIND);
			}
			this.partitions.commit(snapshot, consumer);
			// Asks at each snapshot, so that the lag is known.
			if (this.catchUp.isIdle()) {
				this.catchUp.join();
			}
			ask();
			if (!this.catchUp.isAsking()) {
				// A topic is missing.
				this.catchUp.finishAll(Reading.BEHIND);
			}
		}
	}

	/** Adds the records. Returns whether a caller waits for more. */
	private boolean apply(ConsumerRecords<byte[], byte[]> records, Consumer<byte[], byte[]> consumer) {
		List<RecentRecord> readable = new ArrayList<>(records.count());
		for (ConsumerRecord<byte[], byte[]> record : records) {
			RecentRecord parsed = RecentRecord.of(record, this.json);
			if (parsed != null) {
				readable.add(parsed);
			}
		}
		synchronized (this.lock) {
			this.partitions.add(readable, consumer);
			check();
			return this.catchUp.isAsking();
		}
	}

	/** Asks Kafka for the ends, one question at a time. */
	@GuardedBy("lock")
	private void ask() {
		Admin client = this.admin;
		Round round = (client != null && this.partitions.covers(TOPICS)) ? this.catchUp.begin() : null;
		if (client == null || round == null) {
			return;
		}
		client
			.listOffsets(this.partitions.partitions()
				.stream()
				.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest())))
			.all()
			.whenComplete((ends, failure) -> {
				synchronized (this.lock) {
					if (this.catchUp.isAsking(round)) {
						answered(round, ends, failure);
					}
				}
			});
	}

	@GuardedBy("lock")
	private void answered(Round round, @Nullable Map<TopicPartition, ListOffsetsResultInfo> ends,
			@Nullable Throwable failure) {
		if (ends == null) {
			logger.debug("Kafka did not return the end offsets of the topics", failure);
			finish(Reading.BEHIND);
			return;
		}
		responded();
		round.answer(ends.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (end) -> end.getValue().offset())));
		check();
		// The thread may be pausing after a batch while a caller waits.
		LockSupport.unpark(this.thread);
	}

	/**
	 * Finishes the current question if its ends have been reached, or if it takes too
	 * long.
	 */
	@GuardedBy("lock")
	private void check() {
		Map<TopicPartition, Long> ends = this.catchUp.ends();
		if (ends == null) {
			return;
		}
		Rest rest = this.partitions.rest(ends);
		this.lag = rest.records();
		if (rest.records() == 0) {
			finish(rest.complete() ? Reading.CURRENT : Reading.BEHIND);
		}
		else if (this.catchUp.takesLongerThan(LOST)) {
			// There is much to read: a caller need not wait for all of it.
			finish(Reading.BEHIND);
		}
	}

	@GuardedBy("lock")
	private void finish(Reading reading) {
		this.catchUp.finish(reading);
		ask();
	}

	/** Ends every wait, because Kafka does not answer. */
	private void giveUp() {
		synchronized (this.lock) {
			this.catchUp.finishAll(Reading.UNREACHABLE);
		}
	}

	private void reset() {
		synchronized (this.lock) {
			this.admin = null;
			this.catchUp.finishAll(Reading.BEHIND);
			this.partitions.clear();
		}
	}

	private void warn(Throwable failure) {
		if (!this.outage) {
			this.outage = true;
			logger.warn("The recent orders cannot be read from Kafka, retrying: {}", failure.toString());
		}
	}

	/** Without its thread, a gateway would know no more of any order. */
	private void bug(Throwable failure) {
		if (!this.outage) {
			this.outage = true;
			logger.error("The recent orders are read again from what is committed because of a bug", failure);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		Thread reader = this.thread;
		if (reader != null) {
			LockSupport.unpark(reader);
			try {
				reader.join(LOST);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
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

	/** How much has been read. */
	public enum Reading {

		/**
		 * Everything that PostgreSQL may lack: an order that is not known was not there.
		 */
		CURRENT,

		/** Not everything in time, or there is more than can be kept. */
		BEHIND,

		/** Kafka has answered nothing for some seconds. */
		UNREACHABLE

	}

	/**
	 * An order in {@link Topics#ORDERS}.
	 *
	 * @param fingerprint the payload's, from its first record; null if its id is not
	 * derived from an idempotency key
	 * @param first when it was accepted
	 * @param last when it was accepted again for redelivery, else the same as
	 * {@code first}
	 * @param firstOffset the offset of its first record
	 * @param lastOffset the offset of its last record
	 */
	public record Acceptance(@Nullable Fingerprint fingerprint, Instant first, Instant last, long firstOffset,
			long lastOffset) {

		/**
		 * A later record with another payload is not an acceptance: the first one counts.
		 */
		Acceptance merge(Acceptance other) {
			Acceptance earlier = (this.firstOffset <= other.firstOffset) ? this : other;
			Acceptance later = (earlier == this) ? other : this;
			boolean same = later.fingerprint == null || later.fingerprint.equals(earlier.fingerprint);
			Instant last = (same && later.last.isAfter(earlier.last)) ? later.last : earlier.last;
			return new Acceptance(earlier.fingerprint, earlier.first, last, earlier.firstOffset,
					Math.max(this.lastOffset, other.lastOffset));
		}
	}

	/**
	 * An order that was saved synchronously.
	 *
	 * @param fingerprint the payload's; null if its id is not derived from an idempotency
	 * key
	 * @param savedAt time of the save, by the backend's clock
	 * @param offset the offset of its outcome
	 */
	public record SyncSave(@Nullable Fingerprint fingerprint, Instant savedAt, long offset) {
	}

}
