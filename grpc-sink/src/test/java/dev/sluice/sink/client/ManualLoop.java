package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * A loop whose time stands still until the test advances it. As on an executor's thread,
 * a failed task does not prevent the next one.
 */
final class ManualLoop implements EventLoop {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::at));

	private final List<Throwable> failures = new ArrayList<>();

	private long nanos;

	private boolean running;

	private record Timer(long at, Runnable task) {
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
		if (!this.running) {
			run();
		}
	}

	private void run() {
		this.running = true;
		try {
			Runnable next = this.tasks.poll();
			while (next != null) {
				try {
					next.run();
				}
				catch (RuntimeException | Error ex) {
					this.failures.add(ex);
				}
				next = this.tasks.poll();
			}
		}
		finally {
			this.running = false;
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Exceptions of tasks. */
	List<Throwable> failures() {
		return this.failures;
	}

	@Override
	public void schedule(Duration delay, Runnable task) {
		this.timers.add(new Timer(this.nanos + delay.toNanos(), task));
	}

	/** Advances the time, and runs the tasks that become due. */
	void pass(Duration time) {
		long end = this.nanos + time.toNanos();
		while (!this.timers.isEmpty() && this.timers.element().at() <= end) {
			Timer next = this.timers.remove();
			this.nanos = Math.max(this.nanos, next.at());
			execute(next.task());
		}
		this.nanos = end;
	}

	@Override
	public void close() {
		this.timers.clear();
	}

}
