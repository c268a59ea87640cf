package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
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
 * One thread reads, without a consumer group. Another one asks Kafka for the ends of the
 * topics, for all callers that wait, and every half second for the committed offsets. If
 * there are more records than {@code status.recent-orders}, the oldest are dropped, and
 * {@link #caughtUp} returns {@link Reading#BEHIND} until the projection has passed them.
 * <p>
 * No method blocks, and no thread waits for another one's lock: if requests run on
 * virtual threads and the cores are busy, the reading thread would wait behind them for
 * so long that Kafka seemed lost.
 */
@Component
public class RecentOrders implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(RecentOrders.class);

	/** Interval between two looks at the topics and the committed offsets. */
	private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

	/** Longest wait before a thread looks around: whether to stop, and for an answer. */
	private static final Duration WAIT = Duration.ofMillis(100);

	/**
	 * Kafka counts as lost after this many waits in a row without an answer, 3 s. If the
	 * whole gateway stands still, that is one wait.
	 */
	private static final int LOST = 30;

	private final Supplier<Admin> admins;

	private final Supervisor supervisor;

	private final Duration wait;

	private final String group;

	private final KnownOrders orders;

	private final RecentReader topics;

	private final TransferQueue<CompletableFuture<Reading>> callers = new LinkedTransferQueue<>();

	/** Waits without an answer since the last one. */
	private final AtomicInteger silentWaits = new AtomicInteger();

	private volatile long lag;

	/** Whether a caller waits for the end of the topics. */
	private volatile boolean awaited;

	private volatile boolean running;

	private volatile @Nullable Thread reader;

	private volatile @Nullable Thread asker;

	/** Confined to the asker. */
	private @Nullable Admin admin;

	/** The callers of the question under way. Confined to the asker. */
	private final List<CompletableFuture<Reading>> asking = new ArrayList<>();

	/** The look whose answers have not come. Confined to the asker. */
	private @Nullable CompletableFuture<TopicsLook> look;

	/** When the last look began. Confined to the asker. */
	private long lookNanos = System.nanoTime() - LOOK_INTERVAL.toNanos();

	@Autowired
	public RecentOrders(StatusProperties properties, ConsumerFactory<?, ?> consumers, KafkaAdmin admins,
			JsonMapper json, MeterRegistry meters, Supervisor supervisor) {
		this(properties, () -> RecentClients.admin(admins.getConfigurationProperties()),
				() -> RecentClients.consumer(consumers.getConfigurationProperties()), json, meters, supervisor, WAIT);
	}

	/**
	 * @param admins opens a client that asks, again after each failure
	 * @param consumers opens a client that reads, again after each failure
	 * @param wait see {@link #WAIT}
	 */
	RecentOrders(StatusProperties properties, Supplier<Admin> admins, Supplier<Consumer<byte[], byte[]>> consumers,
			JsonMapper json, MeterRegistry meters, Supervisor supervisor, Duration wait) {
		this.group = properties.projectionGroup();
		this.orders = new KnownOrders(properties.recentOrders());
		this.topics = new RecentReader(this.orders, consumers, json, () -> LockSupport.unpark(this.asker));
		this.admins = admins;
		this.supervisor = supervisor;
		this.wait = wait;
		GatewayMetric.RECENT_ORDERS.gauge(meters, this, (recent) -> recent.orders.size());
		GatewayMetric.RECENT_LAG.gauge(meters, this, (recent) -> recent.lag);
	}

	/** What has been read, for {@link #isKnown}. */
	public Object read() {
		return this.orders.parts();
	}

	/**
	 * Whether nothing was lost between a call of {@link #read} and this one: an order
	 * that was looked up meanwhile and is not known was not there.
	 */
	public boolean isKnown(Object read) {
		return this.orders.isKnown(read);
	}

	/** The acceptance of an order; null if none is known. */
	public @Nullable Acceptance acceptance(UUID id) {
		return this.orders.acceptance(id);
	}

	/** The synchronous save of an order; null if none is known. */
	public @Nullable SyncSave syncSave(UUID id) {
		return this.orders.syncSave(id);
	}

	/** Whether PostgreSQL may lack the outcomes of orders that ended seconds ago. */
	public boolean isProjectionBehind() {
		return this.orders.isUncommittedFor(this.wait.multipliedBy(LOST));
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
		CompletableFuture<Reading> caller = new CompletableFuture<>();
		this.callers.add(caller);
		return caller.completeOnTimeout(Reading.BEHIND, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	private boolean isLost() {
		return this.silentWaits.get() >= LOST;
	}

	private Reading withoutKafka() {
		return isLost() ? this.orders.withoutKafka() : Reading.BEHIND;
	}

	/**
	 * Kafka has acknowledged an order of this gateway.
	 * @param fingerprint the payload's fingerprint if the id may be used again, else null
	 */
	public void accepted(UUID id, @Nullable Fingerprint fingerprint, Instant acceptedAt, int partition, long offset) {
		this.orders.acknowledged(id, new Acceptance(fingerprint, acceptedAt, acceptedAt, offset, offset),
				new TopicPartition(Topics.ORDERS, partition));
	}

	/** For the outcomes that this gateway publishes. */
	KnownOrders known() {
		return this.orders;
	}

	@Override
	public void start() {
		this.running = true;
		this.reader = this.supervisor.start("recent-orders", () -> this.topics.read(this.running, this.awaited));
		this.asker = this.supervisor.start("recent-orders-ends", this::ask);
	}

	/** One round of the asker, which answers the callers that wait by now. */
	private Duration ask() throws InterruptedException {
		try {
			if (!this.running) {
				throw new InterruptedException("Stopped");
			}
			Admin client = this.admin;
			if (client == null) {
				client = this.admins.get();
				this.admin = client;
			}
			boolean due = look(client);
			CompletableFuture<Reading> caller = this.callers.poll(due ? 0 : this.wait.toNanos(), TimeUnit.NANOSECONDS);
			if (caller != null) {
				this.asking.add(caller);
			}
			takeCallers();
			Map<TopicPartition, KnownOrders.Part> parts = this.orders.parts();
			if (parts.isEmpty()) {
				// Callers wait until their time is over.
				this.asking.removeIf(CompletableFuture::isDone);
			}
			else if (due || this.awaited) {
				answer(readToEnds(client, parts));
			}
			return Duration.ZERO;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			Admin failed = this.admin;
			this.admin = null;
			this.look = null;
			if (failed != null) {
				// Without waiting for open questions.
				failed.close(Duration.ZERO);
			}
			takeCallers();
			answer(Reading.BEHIND);
			throw ex;
		}
	}

	/**
	 * Looks at the topics and the committed offsets when it is time.
	 * @return whether it is
	 */
	private boolean look(Admin client) throws InterruptedException {
		CompletableFuture<TopicsLook> asked = this.look;
		if (asked != null && asked.isDone()) {
			this.look = null;
			try {
				this.topics.found(asked.get());
			}
			catch (ExecutionException ex) {
				TopicsLook.checkRetriable(ex);
			}
		}
		boolean due = this.look == null && System.nanoTime() - this.lookNanos >= LOOK_INTERVAL.toNanos();
		if (due) {
			this.lookNanos = System.nanoTime();
			this.look = TopicsLook.begin(client, this.group, this::answered);
		}
		return due;
	}

	private void takeCallers() {
		this.callers.drainTo(this.asking);
		this.awaited = !this.asking.isEmpty();
	}

	/** Completes the callers on another thread, because this one must go on. */
	private void answer(Reading reading) {
		this.awaited = false;
		if (!this.asking.isEmpty()) {
			List<CompletableFuture<Reading>> answered = List.copyOf(this.asking);
			this.asking.clear();
			ForkJoinPool.commonPool().execute(() -> answered.forEach((caller) -> caller.complete(reading)));
		}
	}

	/** Asks Kafka for the ends of the partitions, and waits until they have been read. */
	private Reading readToEnds(Admin client, Map<TopicPartition, KnownOrders.Part> parts) throws InterruptedException {
		Map<TopicPartition, ListOffsetsResultInfo> ends = answer(client
			.listOffsets(parts.keySet().stream().collect(Collectors.toMap((part) -> part, (_) -> OffsetSpec.latest())))
			.all());
		if (ends == null) {
			return withoutKafka();
		}
		long deadlineNanos = System.nanoTime() + LOST * this.wait.toNanos();
		while (this.running && this.orders.parts() == parts) {
			long left = 0;
			for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends.entrySet()) {
				KnownOrders.Part part = parts.get(end.getKey());
				left += (part != null) ? Math.max(0, end.getValue().offset() - part.position()) : 0;
			}
			this.lag = left;
			if (left == 0) {
				return this.orders.atEnd(parts);
			}
			if (!this.awaited || System.nanoTime() - deadlineNanos > 0) {
				// There is much to read: a caller need not wait for all of it.
				break;
			}
			LockSupport.unpark(this.reader);
			LockSupport.parkNanos(this.wait.toNanos());
		}
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
				answered();
				return answer;
			}
			catch (ExecutionException ex) {
				TopicsLook.checkRetriable(ex);
				silent();
				return null;
			}
			catch (TimeoutException _) {
				silent();
			}
		}
		return null;
	}

	private void answered() {
		if (this.silentWaits.getAndSet(0) >= LOST) {
			logger.info("The recent orders are read from Kafka again");
		}
	}

	private void silent() {
		if (this.silentWaits.incrementAndGet() == LOST) {
			logger.warn("The recent orders cannot be read: Kafka has not answered for {} s",
					this.wait.multipliedBy(LOST).toSeconds());
		}
		if (isLost()) {
			takeCallers();
			answer(withoutKafka());
		}
	}

	@Override
	public void stop() {
		this.running = false;
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
