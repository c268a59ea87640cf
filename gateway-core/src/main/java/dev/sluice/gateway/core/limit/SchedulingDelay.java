package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
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
@ThreadSafe
public final class SchedulingDelay implements SmartLifecycle {

	/** Between two probes. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final int IN_A_ROW = 2;

	private final Duration limit;

	private final Supplier<@Nullable Executor> threads;

	private volatile long nanos;

	private volatile boolean exceeded;

	private volatile @Nullable Thread thread;

	/**
	 * @param threads returns what runs the tasks of requests, null to measure nothing;
	 * called when the web server has started
	 */
	public SchedulingDelay(GatewayProperties properties, Supplier<@Nullable Executor> threads, MeterRegistry meters) {
		this.limit = properties.maxSchedulingDelay();
		this.threads = threads;
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
			this.thread = Thread.ofPlatform().daemon().name("scheduling-delay").start(() -> measure(measured));
		}
	}

	private void measure(Executor measured) {
		int inARow = 0;
		try {
			while (true) {
				inARow = probe(measured, inARow);
				LockSupport.parkNanos(PAUSE.toNanos());
			}
		}
		catch (InterruptedException | RejectedExecutionException _) {
			// The gateway stops.
		}
		finally {
			// Nothing would end the refusals any more.
			this.exceeded = false;
		}
	}

	/**
	 * Waits for a probe.
	 * @param before how often in a row the limit was exceeded before
	 * @return how often it has been now
	 */
	private int probe(Executor measured, int before) throws InterruptedException {
		CountDownLatch ran = new CountDownLatch(1);
		long start = System.nanoTime();
		measured.execute(ran::countDown);
		int inARow = before;
		while (!ran.await(this.limit.toNanos(), TimeUnit.NANOSECONDS)) {
			this.nanos = System.nanoTime() - start;
			inARow++;
			this.exceeded = inARow >= IN_A_ROW;
		}
		this.nanos = System.nanoTime() - start;
		if (inARow == before) {
			this.exceeded = false;
			return 0;
		}
		return inARow;
	}

	@Override
	public void stop() {
		Thread measuring = this.thread;
		if (measuring != null) {
			measuring.interrupt();
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
