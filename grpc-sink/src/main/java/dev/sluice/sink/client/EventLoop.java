package dev.sluice.sink.client;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs tasks one at a time, in their order, and knows what time it is. */
interface EventLoop extends AutoCloseable {

	/** What runs when the loop is closed may take so long. */
	int CLOSE_SECONDS = 10;

	/** Nanoseconds since some moment; never goes back. */
	long nanoTime();

	/** Runs the task soon. After the loop is closed, does nothing. */
	void execute(Runnable task);

	/** Runs the task after a delay. After the loop is closed, does nothing. */
	void schedule(Duration delay, Runnable task);

	/** Runs what was given before, and then nothing more; waits for that. */
	@Override
	void close();

	/** One thread. */
	static EventLoop ofThread(String name) {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name(name).factory());
		return new EventLoop() {

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

			@Override
			public void execute(Runnable task) {
				try {
					executor.execute(task);
				}
				catch (RejectedExecutionException _) {
					// Closed.
				}
			}

			@Override
			@SuppressWarnings("FutureReturnValueIgnored") // Tasks find out whether they
															// are still wanted.
			public void schedule(Duration delay, Runnable task) {
				try {
					executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
				}
				catch (RejectedExecutionException _) {
					// Closed.
				}
			}

			@Override
			public void close() {
				execute(executor::shutdownNow);
				try {
					if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
						executor.shutdownNow();
					}
				}
				catch (InterruptedException _) {
					executor.shutdownNow();
					Thread.currentThread().interrupt();
				}
			}

		};
	}

}
