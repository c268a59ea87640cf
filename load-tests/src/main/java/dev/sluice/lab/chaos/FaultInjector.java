package dev.sluice.lab.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks and mends by plan. A virtual thread for each fault waits for the fault's time,
 * then until no other fault of its group and fewer than {@link #AT_ONCE} others are going
 * on. A fault that would outlast the run is mended, whatever happens.
 */
final class FaultInjector implements AutoCloseable {

	/**
	 * With more, a machine that starts processes more slowly than they are killed would
	 * end up with none running.
	 */
	static final int AT_ONCE = 2;

	private final List<Thread> threads = new ArrayList<>();

	private final List<Done> done = new ArrayList<>();

	private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

	private final Semaphore atOnce = new Semaphore(AT_ONCE, true);

	private final CountDownLatch left;

	private final Progress progress;

	private final long startNanos;

	private final long restMillis;

	/**
	 * A planned fault.
	 *
	 * @param number from 1, in the order of the times
	 * @param target what is broken
	 * @param kind how
	 * @param group at most one fault of a group goes on at a time
	 * @param atMillis when it begins, in milliseconds since the load began
	 * @param breakage breaks and mends the target
	 */
	public record Fault(int number, String target, String kind, String group, long atMillis, Breakage breakage) {
	}

	/** Breaks something and mends it. */
	@FunctionalInterface
	public interface Breakage {

		/**
		 * Returns when everything is mended. A fault that would outlast the run is also
		 * mended if this method is interrupted or fails.
		 */
		void run() throws InterruptedException;

	}

	/**
	 * A fault that is over.
	 *
	 * @param target what was broken
	 * @param kind how
	 * @param beganMillis when it began, in milliseconds since the load began
	 * @param healedMillis when it was mended, in milliseconds since the load began
	 */
	public record Done(String target, String kind, long beganMillis, long healedMillis) {
	}

	/**
	 * Starts waiting for the times of the faults.
	 * @param startNanos when the load began, of {@link System#nanoTime}
	 * @param restMillis pause of a group after each of its faults, in milliseconds
	 */
	public FaultInjector(List<Fault> faults, long startNanos, long restMillis, Progress progress) {
		this.left = new CountDownLatch(faults.size());
		this.progress = progress;
		this.startNanos = startNanos;
		this.restMillis = restMillis;
		Map<String, ReentrantLock> locks = new HashMap<>();
		for (Fault fault : faults) {
			// Fair, so that faults of one group keep their order.
			ReentrantLock lock = locks.computeIfAbsent(fault.group(), (_) -> new ReentrantLock(true));
			this.threads.add(Thread.ofVirtual().name("fault-" + fault.number()).start(() -> run(fault, lock)));
		}
	}

	private void run(Fault fault, ReentrantLock lock) {
		try {
			TimeUnit.NANOSECONDS
				.sleep(this.startNanos + TimeUnit.MILLISECONDS.toNanos(fault.atMillis()) - System.nanoTime());
			lock.lockInterruptibly();
			try {
				if (breakNow(fault)) {
					// Pauses before the group's next fault, so that recovery shows.
					Thread.sleep(this.restMillis);
				}
			}
			finally {
				lock.unlock();
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			this.failure.compareAndSet(null, ex);
			// Nothing waits for the others any longer.
			while (this.left.getCount() > 0) {
				this.left.countDown();
			}
			// Reported immediately, even if the run is being stopped and ignores it.
			this.progress.step(String.valueOf(ex.getMessage()));
		}
		finally {
			this.left.countDown();
		}
	}

	/** Returns whether the fault was done; false once something has gone wrong. */
	private boolean breakNow(Fault fault) throws InterruptedException {
		this.atOnce.acquire();
		try {
			if (!isWell()) {
				return false;
			}
			begin(fault);
			return true;
		}
		finally {
			this.atOnce.release();
		}
	}

	private void begin(Fault fault) throws InterruptedException {
		this.progress.step("Fault %s: %s, %s".formatted(fault.number(), fault.target(), fault.kind()));
		long began = millis();
		try {
			fault.breakage().run();
		}
		catch (RuntimeException ex) {
			throw new LabException("%s did not get over fault %s (%s): %s".formatted(fault.target(), fault.number(),
					fault.kind(), ex.getMessage()), ex);
		}
		synchronized (this.done) {
			this.done.add(new Done(fault.target(), fault.kind(), began, millis()));
		}
	}

	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.startNanos);
	}

	/** Whether only planned faults have happened. */
	public boolean isWell() {
		return this.failure.get() == null;
	}

	/** Whether all faults are over and mended. */
	public boolean isOver() {
		return this.left.getCount() == 0;
	}

	/**
	 * Waits until everything is mended.
	 * @throws LabException if a process did not start again, or not in time
	 */
	public void awaitHealed(long millis) throws InterruptedException {
		boolean healed = this.left.await(millis, TimeUnit.MILLISECONDS);
		RuntimeException ex = this.failure.get();
		if (ex != null) {
			throw ex;
		}
		if (!healed) {
			throw new LabException("Not over %s s after the load's end: %s".formatted(millis / 1_000,
					Figures.counted(this.left.getCount(), "fault")));
		}
	}

	/** The faults that are over, in the order in which they began. */
	public List<Done> done() {
		synchronized (this.done) {
			return this.done.stream().sorted(Comparator.comparingLong(Done::beganMillis)).toList();
		}
	}

	/**
	 * Cancels waiting faults. When this returns, faults that would outlast the run are
	 * mended.
	 */
	@Override
	public void close() {
		this.threads.forEach(Thread::interrupt);
		boolean interrupted = false;
		for (Thread thread : this.threads) {
			while (thread.isAlive()) {
				try {
					thread.join();
				}
				catch (InterruptedException _) {
					interrupted = true;
				}
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
