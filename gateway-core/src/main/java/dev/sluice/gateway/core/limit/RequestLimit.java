package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.backend.BackendLimit;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The requests of the API: present = in progress + waiting for the rest of their body. A
 * request in progress has arrived completely and has a place. There are at most
 * {@code sluice.max-in-progress}, so that no number of connections makes the heap
 * overflow, and fewer while the cores cannot keep up: each request in progress makes the
 * others dearer, and where refusals and waiting requests take the time of those that have
 * a place, none is answered in time.
 * <p>
 * So their number follows the time that a task waits for a thread that processes
 * requests: the queueing delay of the cores. One probe at a time measures it. Ten times a
 * second, while it is more than {@code sluice.max-scheduling-delay}, there are a quarter
 * fewer places than are taken; otherwise a twentieth more, slowly enough that a crowd
 * does not fill them at once. There are never fewer than {@value #ALWAYS_ADMITTED}, as
 * many as have a thread in {@code servlet-platform}: if so few wait long, the cores are
 * busy with something else.
 * <p>
 * When the gateway stops, it answers new requests with {@code shutting-down} until
 * {@code sluice.drain-time} has passed and every earlier request is answered. The web
 * server's own graceful shutdown follows; it would close keep-alive connections without
 * an answer.
 */
@Component
public final class RequestLimit implements SmartLifecycle {

	static final int ALWAYS_ADMITTED = 200;

	/** Between two looks at the probe. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	/** A single pause, such as that of a garbage collection, does not count. */
	private static final int IN_A_ROW = 2;

	private static final ProblemException NO_PLACE = new ProblemException(ProblemType.OVERLOADED,
			"Too many requests are in progress.", Placed.NO);

	/** The reasons in {@link GatewayMetric#REQUESTS_REFUSED}. */
	private static final Map<ProblemType, String> REASONS = Map.of(ProblemType.INVALID_REQUEST, "malformed",
			ProblemType.TOO_LARGE, "too-large", ProblemType.REQUEST_TIMEOUT, "late", ProblemType.OVERLOADED,
			"overloaded", ProblemType.SHUTTING_DOWN, "shutting-down");

	private static final Logger log = LoggerFactory.getLogger(RequestLimit.class);

	private final Mode defaultMode;

	private final BackendLimit backend;

	private final OrderMetrics orders;

	private final int maxInProgress;

	private final Duration maxDelay;

	private final ConnectionProperties connections;

	private final Duration drainTime;

	private final Threads threads;

	private final Supervisor supervisor;

	private final Map<ProblemType, Counter> refused = new EnumMap<>(ProblemType.class);

	private final AtomicInteger present = new AtomicInteger();

	private final AtomicInteger inProgress = new AtomicInteger();

	/** Of bodies that have not arrived completely. */
	private final AtomicLong heldBytes = new AtomicLong();

	private volatile int places;

	/** How often in a row tasks waited too long. Confined to the thread that measures. */
	private int inARow;

	/** When the probe was passed to the threads, and when it ran. Confined like it. */
	private long probeNanos = System.nanoTime();

	private CompletableFuture<Long> probe = CompletableFuture.completedFuture(this.probeNanos);

	private volatile Duration delay = Duration.ZERO;

	private volatile @Nullable Thread measuring;

	/** Not null while the gateway stops; completes when the last request is answered. */
	private volatile @Nullable CompletableFuture<@Nullable Void> drained;

	private volatile boolean running;

	public RequestLimit(GatewayProperties properties, ConnectionProperties connections, BackendPolicy backend,
			Threads threads, Supervisor supervisor, OrderMetrics orders, MeterRegistry meters) {
		this.defaultMode = properties.defaultMode();
		this.backend = backend.limit();
		this.orders = orders;
		this.maxInProgress = properties.maxInProgress();
		this.maxDelay = properties.maxSchedulingDelay();
		this.places = this.maxInProgress;
		this.connections = connections;
		this.drainTime = properties.drainTime();
		this.threads = threads;
		this.supervisor = supervisor;
		REASONS.forEach((type, reason) -> this.refused.put(type,
				GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", reason)));
		GatewayMetric.REQUESTS_IN_PROGRESS.gauge(meters, this.inProgress, AtomicInteger::get);
		GatewayMetric.REQUESTS_RECEIVING.gauge(meters, this,
				(limit) -> Math.max(0, limit.present.get() - limit.inProgress.get()));
		GatewayMetric.REQUESTS_LIMIT.gauge(meters, this, (limit) -> limit.places);
		GatewayMetric.SCHEDULING_DELAY.gauge(meters, this, (limit) -> limit.delay.toNanos() / 1e9);
	}

	private Duration measure(Executor measured) {
		long nowNanos = System.nanoTime();
		adapt(Duration.ofNanos(this.probe.getNow(nowNanos) - this.probeNanos));
		if (this.probe.isDone()) {
			try {
				this.probe = CompletableFuture.supplyAsync(System::nanoTime, measured);
				this.probeNanos = nowNanos;
			}
			catch (RejectedExecutionException _) {
				// The gateway stops.
			}
		}
		return PAUSE;
	}

	/**
	 * Adapts the number of places.
	 * @param delay how long the latest task has waited for a thread
	 */
	void adapt(Duration delay) {
		this.delay = delay;
		if (delay.compareTo(this.maxDelay) <= 0) {
			this.inARow = 0;
			this.places = Math.min(this.maxInProgress, this.places + 1 + this.places / 20);
		}
		else if (++this.inARow >= IN_A_ROW) {
			int taken = Math.min(this.places, this.inProgress.get());
			this.places = Math.max(Math.min(ALWAYS_ADMITTED, this.maxInProgress), taken - taken / 4);
		}
	}

	/**
	 * Counts a request that is refused whatever it asks for. It is not logged, because a
	 * client can send any number of them.
	 * @return the same problem
	 */
	ProblemException refused(ProblemException problem) {
		Objects.requireNonNull(this.refused.get(problem.type())).increment();
		return problem;
	}

	public ConnectionProperties connections() {
		return this.connections;
	}

	/**
	 * Holds more bytes of unfinished bodies, or fewer.
	 * @throws ProblemException if there is no memory for more
	 */
	void hold(int more) {
		if (this.heldBytes.addAndGet(more) > this.connections.maxBodyMemory().toBytes() && more > 0) {
			this.heldBytes.addAndGet(-more);
			throw refused(
					new ProblemException(ProblemType.OVERLOADED, "Too many requests are being received.", Placed.NO));
		}
	}

	/**
	 * The head of a request has arrived. Its place must be closed when it is answered.
	 */
	public Place arrive() {
		this.present.incrementAndGet();
		// Read after counting: either the shutdown waits for the request, or the request
		// sees the shutdown.
		return new Place(this.drained != null);
	}

	private void depart() {
		CompletableFuture<@Nullable Void> stopping = this.drained;
		if (this.present.decrementAndGet() == 0 && stopping != null) {
			stopping.complete(null);
		}
	}

	@Override
	public void start() {
		log.info(
				"At most {} connections (sluice.max-connections) and {} requests in progress "
						+ "(sluice.max-in-progress), with a heap of {} MB",
				this.connections.maxConnections(), this.maxInProgress, Runtime.getRuntime().maxMemory() / 1024 / 1024);
		this.drained = null;
		this.running = true;
		Executor measured = this.maxDelay.isZero() ? null : this.threads.get();
		if (measured != null) {
			this.measuring = this.supervisor.start("scheduling-delay", () -> measure(measured));
		}
	}

	@Override
	public void stop() {
		this.running = false;
		Thread ending = this.measuring;
		if (ending != null) {
			ending.interrupt();
		}
	}

	@Override
	public void stop(Runnable callback) {
		CompletableFuture<@Nullable Void> stopping = new CompletableFuture<>();
		this.drained = stopping;
		if (this.present.get() == 0) {
			stopping.complete(null);
		}
		CompletableFuture<@Nullable Void> drainTimeOver = new CompletableFuture<@Nullable Void>()
			.completeOnTimeout(null, this.drainTime.toMillis(), TimeUnit.MILLISECONDS);
		CompletableFuture.allOf(stopping, drainTimeOver).thenRun(this::stop).whenComplete((_, _) -> callback.run());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	/** Just before the web server's own graceful shutdown. */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
	}

	/** What runs the tasks of requests. */
	@FunctionalInterface
	public interface Threads {

		/**
		 * Called when the web server has started.
		 * @return the threads; null if how long tasks wait for one says nothing
		 */
		@Nullable Executor get();

	}

	/** One request. Not thread-safe. */
	public final class Place {

		private final boolean tooLate;

		private boolean taken;

		private Place(boolean tooLate) {
			this.tooLate = tooLate;
		}

		/**
		 * Puts a request in progress that has arrived. While the backend takes no more, a
		 * sync order is refused here, because to read it would take time from those that
		 * are delivered. One with preferences goes on, because it may be queued.
		 * @param head its head
		 * @throws ProblemException if it is refused
		 */
		public void admit(RequestHead head) {
			take();
			if (RequestLimit.this.defaultMode == Mode.SYNC && head.isPlainOrder()
					&& RequestLimit.this.backend.isFull()) {
				RequestLimit.this.orders.begin(Mode.SYNC).end(BackendResult.FULL.problem());
				throw BackendResult.FULL.problem();
			}
		}

		/**
		 * Puts the request in progress.
		 * @throws ProblemException if the gateway was stopping when the request arrived,
		 * or if no place is free
		 */
		public void take() {
			if (this.tooLate) {
				throw refused(new ProblemException(ProblemType.SHUTTING_DOWN,
						"This gateway is shutting down. Send the request to another one.", Placed.NO));
			}
			if (RequestLimit.this.inProgress.incrementAndGet() > RequestLimit.this.places) {
				RequestLimit.this.inProgress.decrementAndGet();
				throw refused(NO_PLACE);
			}
			this.taken = true;
		}

		/** The request is answered. To be called once. */
		public void close() {
			if (this.taken) {
				RequestLimit.this.inProgress.decrementAndGet();
			}
			depart();
		}

	}

}
