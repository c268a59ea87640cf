package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * How long a task waits for a thread that processes requests: the queueing delay of the
 * cores. Requests beyond what the cores can process wait there before any other limit
 * counts them, and each waits several times. {@link RequestLimit} refuses requests while
 * the delay exceeds {@code sluice.max-scheduling-delay}, so that those in progress are
 * answered sooner.
 * <p>
 * One thread measures, by a probe at a time. A single pause, such as that of a garbage
 * collection, does not count: the limit must be exceeded twice in a row.
 */
public final class SchedulingDelay implements SmartLifecycle {

	/** Between two probes. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final int IN_A_ROW = 2;

	private final Duration limit;

	private final Supplier<@Nullable Executor> threads;

	private final Supervisor supervisor;

	private volatile long nanos;

	private volatile boolean exceeded;

	/** How often in a row the limit was exceeded. Confined to the thread. */
	private int inARow;

	private volatile @Nullable Thread thread;

	/**
	 * @param threads returns what runs the tasks of requests, null to measure nothing;
	 * called when the web server has started
	 */
	public SchedulingDelay(GatewayProperties properties, Supplier<@Nullable Executor> threads, MeterRegistry meters,
			Supervisor supervisor) {
		this.limit = properties.maxSchedulingDelay();
		this.threads = threads;
		this.supervisor = supervisor;
		GatewayMetric.SCHEDULING_DELAY.gauge(meters, this,
				(delay) -> delay.nanos / (double) TimeUnit.SECONDS.toNanos(1));
	}

	/** Whether new requests would wait too long. */
	public boolean isExceeded() {
		return this.exceeded;
	}

	/** Measures nothing if the limit is 0. */
	@Override
	public void start() {
		Executor measured = this.limit.isZero() ? null : this.threads.get();
		if (measured != null) {
			this.thread = this.supervisor.start("scheduling-delay", () -> measure(measured));
		}
	}

	private Duration measure(Executor measured) throws InterruptedException {
		boolean done = false;
		try {
			probe(measured);
			done = true;
		}
		catch (RejectedExecutionException _) {
			// The gateway stops.
		}
		finally {
			if (!done) {
				// Nothing else would end the refusals.
				this.inARow = 0;
				this.exceeded = false;
			}
		}
		return PAUSE;
	}

	private void probe(Executor measured) throws InterruptedException {
		CountDownLatch ran = new CountDownLatch(1);
		long start = System.nanoTime();
		measured.execute(ran::countDown);
		int before = this.inARow;
		while (!ran.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
			this.nanos = System.nanoTime() - start;
			this.inARow++;
			this.exceeded = this.inARow >= IN_A_ROW;
		}
		this.nanos = System.nanoTime() - start;
		if (this.inARow == before) {
			this.exceeded = false;
			this.inARow = 0;
		}
	}

	@Override
	public void stop() {
		Thread measuring = this.thread;
		if (measuring != null) {
			measuring.interrupt();
			// Nothing else would end the refusals if it sleeps now.
			this.exceeded = false;
			this.thread = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	/**
	 * Started after the web server, and stopped after {@link RequestLimit}, which uses it
	 * until the last request is answered.
	 */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
	}

}
