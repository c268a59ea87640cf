package dev.sluice.backend.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** A loop whose time stands still until a test advances it. */
public final class VirtualLoop implements Loop {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final Queue<Runnable> ready = new ArrayDeque<>();

	private final PriorityQueue<Timer> timers = new PriorityQueue<>(
			Comparator.comparingLong(Timer::atNanos).thenComparingLong(Timer::number));

	private long nanos;

	private long number;

	@Override
	public void execute(Runnable task) {
		this.ready.add(task);
	}

	@Override
	public void schedule(Runnable task, long delayNanos) {
		this.timers.add(new Timer(this.nanos + delayNanos, this.number++, task));
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public Instant now() {
		return START.plusNanos(this.nanos);
	}

	/** Runs the tasks that are due now. */
	public void run() {
		advance(Duration.ZERO);
	}

	/** Advances the time, stopping at each timer on the way. */
	public void advance(Duration duration) {
		long end = this.nanos + duration.toNanos();
		runReady();
		while (!this.timers.isEmpty() && this.timers.peek().atNanos() <= end) {
			Timer timer = this.timers.poll();
			this.nanos = timer.atNanos();
			timer.task().run();
			runReady();
		}
		this.nanos = end;
	}

	public boolean isIdle() {
		return this.ready.isEmpty() && this.timers.isEmpty();
	}

	private void runReady() {
		for (Runnable task = this.ready.poll(); task != null; task = this.ready.poll()) {
			task.run();
		}
	}

	private record Timer(long atNanos, long number, Runnable task) {
	}

}
