package dev.sluice.backend;

import java.time.Instant;

/**
 * The one thread that owns all state of the backend, and its time. A test has a loop
 * whose time it moves by hand.
 */
interface Loop {

	/** Runs the task on the loop, soon. May be called from any thread. */
	void execute(Runnable task);

	/** Runs the task on the loop after that long. To be called on the loop. */
	void schedule(Runnable task, long delayNanos);

	/** The monotonic clock that {@link #schedule} goes by. */
	long nanoTime();

	/** The time of day. */
	Instant now();

}
