package dev.sluice.backend.loop;

import java.time.Instant;

/**
 * The thread that owns all state of the backend, and its clock. Tests use a loop with
 * virtual time.
 */
public interface Loop {

	/** Runs a task on the loop as soon as possible. Any thread may call it. */
	void execute(Runnable task);

	/** Runs a task on the loop after a delay. Only the loop may call it. */
	void schedule(Runnable task, long delayNanos);

	/** The monotonic clock that {@link #schedule} uses, in nanoseconds. */
	long nanoTime();

	/** The time of day. */
	Instant now();

}
