package dev.sluice.gateway;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends exchanges at their time limit: one thread, which only cancels. Holds as many
 * entries as exchanges are going on.
 */
final class Deadlines implements AutoCloseable {

	private final ScheduledThreadPoolExecutor scheduler;

	Deadlines() {
		this.scheduler = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("backend-deadlines").factory());
		// Nearly all are cancelled: they must not stay until their time comes.
		this.scheduler.setRemoveOnCancelPolicy(true);
	}

	ScheduledFuture<?> after(Duration limit, Runnable end) {
		return this.scheduler.schedule(end, limit.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
	}

}
