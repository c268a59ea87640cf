package dev.sluice.sink.client;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop with one thread. Any thread may add tasks, through a lock-free queue; it
 * wakes the loop's thread only if that sleeps. An exception of a task is logged, and the
 * next task runs.
 * <p>
 * Unbounded: it holds as many tasks and timers as its callers add.
 */
final class LoopThread implements EventLoop {

	private static final Logger logger = LoggerFactory.getLogger(LoopThread.class);

	/** Maximum time for the tasks that are left when the loop is closed. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	/** The next one due is first. Confined to the loop's thread. */
	private final PriorityQueue<Timer> timers = new PriorityQueue<>();

	/** Whether the thread sleeps, or will unless it finds a task now. */
	private final AtomicBoolean parked = new AtomicBoolean();

	private final Thread thread;

	private volatile boolean closed;

	private record Timer(long at, Runnable task) implements Comparable<Timer> {

		@Override
		public int compareTo(Timer other) {
			return Long.signum(this.at - other.at);
		}

	}

	private LoopThread(String name) {
		this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
	}

	static LoopThread start(String name) {
		LoopThread loop = new LoopThread(name);
		loop.thread.start();
		return loop;
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public void execute(Runnable task) {
		if (!this.closed) {
			this.tasks.add(task);
			// The thread checks the queue after it has set the flag.
			if (this.parked.get() && this.parked.getAndSet(false)) {
				LockSupport.unpark(this.thread);
			}
		}
	}

	@Override
	public void schedule(Duration delay, Runnable task) {
		Timer timer = new Timer(nanoTime() + delay.toNanos(), task);
		if (isRunning()) {
			this.timers.add(timer);
		}
		else {
			execute(() -> this.timers.add(timer));
		}
	}

	@Override
	public boolean isRunning() {
		return Thread.currentThread() == this.thread;
	}

	private void run() {
		boolean open = true;
		while (open) {
			// Read before the queue, which then has all tasks added before the close.
			boolean last = this.closed;
			if (!last) {
				runDue();
			}
			Runnable task = this.tasks.poll();
			if (task != null) {
				run(task);
			}
			else if (last) {
				open = false;
			}
			else {
				sleep();
			}
		}
	}

	/**
	 * Runs timers due now, not those that become due meanwhile, so that tasks get a turn.
	 */
	private void runDue() {
		Timer first = this.timers.peek();
		if (first != null) {
			long now = nanoTime();
			while (first != null && first.at() - now <= 0) {
				run(this.timers.remove().task());
				first = this.timers.peek();
			}
		}
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A task of {} has failed", this.thread.getName(), ex);
		}
		finally {
			// An interrupt must not affect the next task.
			Thread.interrupted();
		}
	}

	private void sleep() {
		this.parked.set(true);
		if (this.tasks.isEmpty()) {
			Timer first = this.timers.peek();
			if (first == null) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, first.at() - nanoTime());
			}
		}
		this.parked.set(false);
	}

	@Override
	public void close() {
		this.closed = true;
		if (isRunning()) {
			// The loop ends after this task and those queued behind it.
			return;
		}
		LockSupport.unpark(this.thread);
		boolean ended = false;
		try {
			ended = this.thread.join(CLOSE_TIMEOUT);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		if (!ended) {
			this.tasks.clear();
			this.thread.interrupt();
		}
	}

}
