package dev.sluice.gateway.backend;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends exchanges with the backend that take too long, on one thread, whose tasks must not
 * block. Holds one entry for each exchange in progress.
 */
public final class Deadlines implements AutoCloseable {

	private final ScheduledThreadPoolExecutor scheduler;

	/**
	 * @param name the name of its thread
	 */
	public Deadlines(String name) {
		this.scheduler = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
		// Nearly all are cancelled: they must not stay until they are due.
		this.scheduler.setRemoveOnCancelPolicy(true);
	}

	public ScheduledFuture<?> after(Duration limit, Runnable end) {
		return this.scheduler.schedule(end, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
	}

}
