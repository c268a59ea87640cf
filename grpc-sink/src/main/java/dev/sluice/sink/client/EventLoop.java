package dev.sluice.sink.client;

import java.time.Duration;

/** Runs tasks one at a time, in their order, and knows what time it is. */
interface EventLoop extends AutoCloseable {

	/** Nanoseconds since some moment; never goes back. */
	long nanoTime();

	/** Runs the task soon. After the loop is closed, does nothing. */
	void execute(Runnable task);

	/** Runs the task after a delay. After the loop is closed, does nothing. */
	void schedule(Duration delay, Runnable task);

	/** Whether this is a task of the loop, for which nobody may wait. */
	boolean isRunning();

	/**
	 * Runs what was given to {@link #execute} before, and then nothing more; waits for
	 * that, unless a task of the loop calls it.
	 */
	@Override
	void close();

	/** One thread. */
	static EventLoop ofThread(String name) {
		return LoopThread.start(name);
	}

}
