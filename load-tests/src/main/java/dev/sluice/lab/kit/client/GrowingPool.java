package dev.sluice.lab.kit.client;

import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A pool that grows as the default pool of some runtimes does: it starts with a number of
 * threads and adds one each second while tasks wait, up to {@link #MAX_THREADS}. It does
 * not shrink. Its queue is first in, first out, and unbounded: the caller must bound the
 * tasks.
 */
final class GrowingPool extends ThreadPoolExecutor {

	/** A process can have more, but at one a second nobody waits that long. */
	static final int MAX_THREADS = 10_000;

	private static final long PERIOD_MILLIS = 1_000;

	private final ScheduledExecutorService growth = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("pool-growth").factory());

	GrowingPool(int atOnce) {
		this(atOnce, PERIOD_MILLIS);
	}

	GrowingPool(int atOnce, long periodMillis) {
		super(atOnce, MAX_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				Thread.ofPlatform().daemon().name("client-", 0).factory());
		this.growth.scheduleAtFixedRate(this::grow, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
	}

	void grow() {
		int size = getCorePoolSize();
		if (!getQueue().isEmpty() && size < MAX_THREADS) {
			setCorePoolSize(size + 1);
		}
	}

	@Override
	protected void terminated() {
		this.growth.shutdownNow();
	}

}
