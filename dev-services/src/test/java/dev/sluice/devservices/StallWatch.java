package dev.sluice.devservices;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints after the failure of a test how long the machine stood still meanwhile: how late
 * a thread was that does nothing but wake up. JUnit finds this class through
 * {@code META-INF/services}. Thread-safe: tests may run in parallel.
 */
public final class StallWatch implements TestExecutionListener {

	private static final Duration INTERVAL = Duration.ofMillis(20);

	/** A thread that wakes up this much too late counts as a stall. */
	private static final Duration SHORTEST = Duration.ofMillis(200);

	/** How long the machine has stood still so far, in nanoseconds. */
	private final AtomicLong stalled = new AtomicLong();

	/** The same, when each running test began. */
	private final Map<String, Long> before = new ConcurrentHashMap<>();

	private volatile @Nullable Thread watch;

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		this.watch = Thread.ofPlatform().daemon().name("stall-watch").start(this::watch);
	}

	@Override
	public void testPlanExecutionFinished(TestPlan plan) {
		if (this.watch instanceof Thread thread) {
			thread.interrupt();
		}
	}

	private void watch() {
		while (!Thread.currentThread().isInterrupted()) {
			long asleep = System.nanoTime();
			LockSupport.parkNanos(INTERVAL.toNanos());
			long late = System.nanoTime() - asleep - INTERVAL.toNanos();
			if (late > SHORTEST.toNanos()) {
				this.stalled.addAndGet(late);
			}
		}
	}

	@Override
	public void executionStarted(TestIdentifier test) {
		this.before.put(test.getUniqueId(), this.stalled.get());
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		Long before = this.before.remove(test.getUniqueId());
		if (before != null && result.getStatus() == TestExecutionResult.Status.FAILED) {
			System.out.println(during(test.getDisplayName(), Duration.ofNanos(this.stalled.get() - before)));
		}
	}

	static String during(String test, Duration stalled) {
		return "%s failed; meanwhile the machine stood still for %s ms".formatted(test, stalled.toMillis());
	}

}
