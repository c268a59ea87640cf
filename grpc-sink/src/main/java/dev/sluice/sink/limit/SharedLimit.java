package dev.sluice.sink.limit;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * A limit that all streams share, such as bytes of memory or messages in the storage. It
 * never blocks. A task that finds the limit reached waits in a queue, at most once, until
 * there is room; then the executor runs it. A task that then needs no room must call
 * {@link #wake}, so that the next task runs.
 * <p>
 * An amount is admitted while less than the limit is in use, so the limit is exceeded by
 * less than one amount, not counting {@link #add}.
 */
public final class SharedLimit {

	private final long limit;

	private final long step;

	private final Executor executor;

	@GuardedBy("this")
	private final Set<Runnable> waiting = new LinkedHashSet<>();

	@GuardedBy("this")
	private long used;

	/**
	 * Creates a limit of which nothing is in use.
	 * @param limit the maximum in use
	 * @param step the amount that a waiting task is expected to use: with room for three
	 * steps, three tasks run
	 * @param executor runs tasks that have waited
	 */
	public SharedLimit(long limit, long step, Executor executor) {
		this.limit = limit;
		this.step = step;
		this.executor = executor;
	}

	/** Uses the amount if there is room; else queues the task. */
	public synchronized boolean acquire(long amount, Runnable task) {
		return hasRoom(task) && tryAcquire(amount);
	}

	/** Uses the amount if there is room. */
	public synchronized boolean tryAcquire(long amount) {
		if (this.used >= this.limit) {
			return false;
		}
		this.used += amount;
		return true;
	}

	/** Whether there is room; if not, queues the task. */
	public synchronized boolean hasRoom(Runnable task) {
		if (this.used < this.limit) {
			return true;
		}
		this.waiting.add(task);
		return false;
	}

	/**
	 * Uses the amount, whether there is room or not.
	 * @return the amount in use now
	 */
	public synchronized long add(long amount) {
		this.used += amount;
		return this.used;
	}

	/** Called for each message: takes one lock if no task waits. */
	public void release(long amount) {
		synchronized (this) {
			this.used -= amount;
			if (this.waiting.isEmpty()) {
				return;
			}
		}
		wake();
	}

	/**
	 * Runs as many waiting tasks as there is room for: at least one if there is any room,
	 * and all if nothing is in use.
	 */
	public void wake() {
		List<Runnable> next;
		synchronized (this) {
			if (this.waiting.isEmpty() || this.used >= this.limit) {
				return;
			}
			long count = (this.used <= 0) ? this.waiting.size() : Math.max(1, (this.limit - this.used) / this.step);
			next = new ArrayList<>(this.waiting.stream().limit(count).toList());
			next.forEach(this.waiting::remove);
		}
		next.forEach(this.executor::execute);
	}

	/** Takes a task out of the queue. */
	public synchronized void cancel(Runnable task) {
		this.waiting.remove(task);
	}

	public synchronized long used() {
		return this.used;
	}

}
