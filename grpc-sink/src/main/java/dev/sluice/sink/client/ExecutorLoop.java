package dev.sluice.sink.client;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop on a scheduled executor with one thread. An exception of a task is
 * logged, and the next task runs.
 * <p>
 * Unbounded: it holds as many tasks and timers as its callers add.
 */
final class ExecutorLoop implements EventLoop {

	private static final Logger logger = LoggerFactory.getLogger(ExecutorLoop.class);

	/** Maximum time for the tasks that are left when the loop is closed. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final ScheduledThreadPoolExecutor executor;

	private volatile @Nullable Thread thread;

	ExecutorLoop(String name) {
		this.executor = new ScheduledThreadPoolExecutor(1, (worker) -> {
			Thread created = Thread.ofPlatform().daemon().name(name).unstarted(worker);
			this.thread = created;
			return created;
		}, new ThreadPoolExecutor.DiscardPolicy());
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(() -> run(task));
	}

	@Override
	public void schedule(Duration delay, Runnable task) {
		var _ = this.executor.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A task of {} has failed", Thread.currentThread().getName(), ex);
		}
	}

	@Override
	public boolean isRunning() {
		return Thread.currentThread() == this.thread;
	}

	@Override
	public void close() {
		this.executor.shutdown();
		if (isRunning()) {
			// The loop ends after this task and those queued behind it.
			return;
		}
		boolean ended = false;
		try {
			ended = this.executor.awaitTermination(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		if (!ended) {
			this.executor.shutdownNow();
		}
	}

}
