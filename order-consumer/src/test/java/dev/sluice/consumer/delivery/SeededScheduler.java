package dev.sluice.consumer.delivery;

import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

import dev.sluice.consumer.Time;

/**
 * Runs virtual threads one at a time on the thread of a test. The seed decides which
 * thread runs next, so the same seed repeats the same interleaving. Time passes only when
 * the scheduler says so: a wait of an hour costs nothing.
 * <p>
 * The JDK lets its own tests choose the executor of a virtual thread, by a constructor
 * that needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
final class SeededScheduler implements Time {

	/** One step in this many lets time pass although a thread could run. */
	private static final int SLOW_STEPS = 24;

	/** The longest time that passes in such a step. */
	private static final long SLOW_NANOS = 1_000_000_000;

	private static final Constructor<?> VIRTUAL_THREADS = virtualThreads();

	private final Random random;

	private final List<Task> ready = new ArrayList<>();

	private final PriorityQueue<Timer> timers = new PriorityQueue<>(
			Comparator.comparingLong(Timer::nanos).thenComparingLong(Timer::sequence));

	private long sequence;

	private long nanos;

	SeededScheduler(Random random) {
		this.random = random;
	}

	private static Constructor<?> virtualThreads() {
		try {
			Constructor<?> constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
				.getDeclaredConstructor(Executor.class);
			constructor.setAccessible(true);
			return constructor;
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	/** A group of threads that can be killed together, as a process is. */
	final class Process implements Executor {

		private final ThreadFactory threads;

		private boolean killed;

		Process() {
			try {
				this.threads = ((Thread.Builder.OfVirtual) VIRTUAL_THREADS.newInstance(this)).factory();
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}

		Thread thread(Runnable task) {
			return this.threads.newThread(task);
		}

		/** Kills the group: its threads never run again. */
		void kill() {
			this.killed = true;
			SeededScheduler.this.ready.removeIf((task) -> task.process == this);
		}

		@Override
		public void execute(Runnable task) {
			if (!this.killed) {
				SeededScheduler.this.ready.add(new Task(this, task));
			}
		}

	}

	/**
	 * Lets one thread run, or the time pass until the next timer.
	 * @return whether there was anything to do
	 */
	boolean step() {
		Timer next = this.timers.peek();
		boolean slow = this.random.nextInt(SLOW_STEPS) == 0 && next != null && next.nanos - this.nanos <= SLOW_NANOS;
		if (!this.ready.isEmpty() && !slow) {
			int chosen = this.random.nextInt(this.ready.size());
			Task last = this.ready.removeLast();
			Task task = (chosen < this.ready.size()) ? this.ready.set(chosen, last) : last;
			task.continuation.run();
			return true;
		}
		Timer timer = this.timers.poll();
		if (timer != null) {
			this.nanos = Math.max(this.nanos, timer.nanos);
			timer.task.run();
		}
		return timer != null;
	}

	/** Runs a task on the test's thread after a delay. */
	Timer after(Duration delay, Runnable task) {
		Timer timer = new Timer(this.nanos + delay.toNanos(), this.sequence++, task);
		this.timers.add(timer);
		return timer;
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public void sleep(Duration duration) throws InterruptedException {
		await(new CompletableFuture<>(), duration);
	}

	@Override
	public boolean await(CompletableFuture<?> event, Duration timeout) throws InterruptedException {
		Thread self = Thread.currentThread();
		boolean[] timedOut = { !timeout.isPositive() };
		Timer timer = after(timeout, () -> {
			timedOut[0] = true;
			LockSupport.unpark(self);
		});
		event.whenComplete((_, _) -> LockSupport.unpark(self));
		try {
			while (!event.isDone() && !timedOut[0]) {
				if (Thread.interrupted()) {
					throw new InterruptedException();
				}
				LockSupport.park();
			}
			return event.isDone();
		}
		finally {
			this.timers.remove(timer);
		}
	}

	private record Task(Process process, Runnable continuation) {
	}

	record Timer(long nanos, long sequence, Runnable task) {
	}

}
