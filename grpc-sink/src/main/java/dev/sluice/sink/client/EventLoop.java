package dev.sluice.sink.client;

import java.time.Duration;

/** Runs tasks one at a time, in order, and has a clock. */
interface EventLoop extends AutoCloseable {

	/** Nanoseconds since an arbitrary moment; monotonic. */
	long nanoTime();

	/** Queues a task. Does nothing once the loop is closed. */
	void execute(Runnable task);

	/** Runs a task after a delay. Does nothing once the loop is closed. */
	void schedule(Duration delay, Runnable task);

	/** Whether the caller is a task of the loop, which must not wait for the loop. */
	boolean isRunning();

	/**
	 * Closes the loop. Tasks given to {@link #execute} before still run. Waits for them,
	 * unless a task of the loop calls it.
	 */
	@Override
	void close();

}
