package dev.sluice.devservices;

import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

	private final Map<String, LongSummaryStatistics> running = new ConcurrentHashMap<>();

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
		long before = System.nanoTime();
		while (!Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(INTERVAL.toNanos());
			long now = System.nanoTime();
			long late = now - before - INTERVAL.toNanos();
			if (late > SHORTEST.toNanos()) {
				this.running.replaceAll((_, stalls) -> and(stalls, late));
			}
			before = now;
		}
	}

	@Override
	public void executionStarted(TestIdentifier test) {
		this.running.put(test.getUniqueId(), new LongSummaryStatistics());
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		LongSummaryStatistics stalls = this.running.remove(test.getUniqueId());
		if (stalls != null && result.getStatus() == TestExecutionResult.Status.FAILED) {
			System.out.println(during(test.getDisplayName(), stalls));
		}
	}

	private static LongSummaryStatistics and(LongSummaryStatistics stalls, long nanos) {
		stalls.accept(nanos);
		return stalls;
	}

	/**
	 * @param stalls in nanoseconds
	 */
	static String during(String test, LongSummaryStatistics stalls) {
		return "%s failed; meanwhile the machine stood still for %s ms at most, %s ms in all".formatted(test,
				Math.max(0, stalls.getMax()) / 1_000_000, stalls.getSum() / 1_000_000);
	}

}
