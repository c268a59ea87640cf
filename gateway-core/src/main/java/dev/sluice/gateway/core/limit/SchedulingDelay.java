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
 * counts them, and each waits several times. {@link RequestLimit} adapts to it. One
 * thread measures, by a probe at a time.
 */
public final class SchedulingDelay implements SmartLifecycle {

	/** Between two probes, and between two looks at one that has not run yet. */
	private static final Duration PAUSE = Duration.ofMillis(100);

	private final RequestLimit limit;

	private final boolean limited;

	private final Supplier<@Nullable Executor> threads;

	private final Supervisor supervisor;

	private volatile long nanos;

	private volatile @Nullable Thread thread;

	/**
	 * @param limit adapts to the delay
	 * @param threads returns what runs the tasks of requests, null to measure nothing;
	 * called when the web server has started
	 */
	public SchedulingDelay(GatewayProperties properties, RequestLimit limit, Supplier<@Nullable Executor> threads,
			MeterRegistry meters, Supervisor supervisor) {
		this.limit = limit;
		this.limited = !properties.maxSchedulingDelay().isZero();
		this.threads = threads;
		this.supervisor = supervisor;
		GatewayMetric.SCHEDULING_DELAY.gauge(meters, this,
				(delay) -> delay.nanos / (double) TimeUnit.SECONDS.toNanos(1));
	}

	/** Measures nothing if the limit is 0. */
	@Override
	public void start() {
		Executor measured = this.limited ? this.threads.get() : null;
		if (measured != null) {
			this.thread = this.supervisor.start("scheduling-delay", () -> measure(measured));
		}
	}

	private Duration measure(Executor measured) throws InterruptedException {
		CountDownLatch ran = new CountDownLatch(1);
		long start = System.nanoTime();
		try {
			measured.execute(ran::countDown);
			while (!ran.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
				report(System.nanoTime() - start);
			}
			report(System.nanoTime() - start);
		}
		catch (RejectedExecutionException _) {
			// The gateway stops.
		}
		return PAUSE;
	}

	private void report(long delayNanos) {
		this.nanos = delayNanos;
		this.limit.adapt(Duration.ofNanos(delayNanos));
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
