package dev.sluice.sink;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Something that all streams share and that is bounded. Who finds it used up waits in a
 * queue, once, and is run on the executor when some is free again: at most as many as
 * there is free. Who is run and does not use it calls {@link #pass}. Thread-safe; nothing
 * waits.
 */
final class SharedLimit {

	private final long limit;

	private final Executor executor;

	private final Set<Runnable> waiting = new LinkedHashSet<>();

	private long used;

	SharedLimit(long limit, Executor executor) {
		this.limit = limit;
		this.executor = executor;
	}

	/** Uses one if it is free, else waits. */
	boolean enter(Runnable waiter) {
		synchronized (this.waiting) {
			if (!free(waiter)) {
				return false;
			}
			this.used++;
			return true;
		}
	}

	/** Uses one if it is free, and does not wait. */
	boolean tryEnter() {
		synchronized (this.waiting) {
			if (this.used >= this.limit) {
				return false;
			}
			this.used++;
			return true;
		}
	}

	/** Whether any is free; waits if not. */
	boolean free(Runnable waiter) {
		synchronized (this.waiting) {
			if (this.used < this.limit) {
				return true;
			}
			this.waiting.add(waiter);
			return false;
		}
	}

	/** Uses some, whether it is free or not. */
	void add(long amount) {
		synchronized (this.waiting) {
			this.used += amount;
		}
	}

	/** Gives some back. */
	void remove(long amount) {
		synchronized (this.waiting) {
			this.used -= amount;
		}
		pass();
	}

	/** Lets who waits have what is free. */
	void pass() {
		List<Runnable> next;
		synchronized (this.waiting) {
			if (this.waiting.isEmpty() || this.used >= this.limit) {
				return;
			}
			next = new ArrayList<>(this.waiting.stream().limit(this.limit - this.used).toList());
			this.waiting.removeAll(next);
		}
		next.forEach(this.executor::execute);
	}

	void forget(Runnable waiter) {
		synchronized (this.waiting) {
			this.waiting.remove(waiter);
		}
	}

	long used() {
		synchronized (this.waiting) {
			return this.used;
		}
	}

}
