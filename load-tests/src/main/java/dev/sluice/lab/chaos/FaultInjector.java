package dev.sluice.lab.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.devservices.Breakable;
import dev.sluice.lab.chaos.ChaosPlan.Fault;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks and mends by plan: a virtual thread for each fault waits for its time and then
 * for its target, of which one fault at a time has hold, and until fewer than
 * {@link #AT_ONCE} others are going on. What it froze it thaws, whatever happens.
 */
final class FaultInjector implements AutoCloseable {

	/**
	 * More than that, and a machine that cannot start processes as fast as they are
	 * killed comes to have nothing that runs.
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
	 * What can be broken.
	 *
	 * @param name in the results
	 * @param process to be killed, frozen and started
	 * @param behaviour to be made to misbehave; null if it cannot
	 */
	record Victim(String name, Breakable process, @Nullable Misbehaviour behaviour) {
	}

	/** Makes a server answer wrongly, or well again. */
	interface Misbehaviour {

		void begin(Kind kind) throws InterruptedException;

		void end() throws InterruptedException;

	}

	/**
	 * A fault that is over.
	 *
	 * @param target the victim's name
	 * @param kind how it was broken
	 * @param beganMillis since the load began
	 * @param healedMillis since the load began
	 */
	record Done(String target, Kind kind, long beganMillis, long healedMillis) {
	}

	/**
	 * Begins to wait for the faults' times.
	 * @param victims those of each target
	 * @param startNanos the beginning of the load, of {@link System#nanoTime}
	 * @param restMillis for which each victim is left alone after each fault
	 */
	FaultInjector(ChaosPlan plan, Map<ChaosPlan.Target, List<Victim>> victims, long startNanos, long restMillis,
			Progress progress) {
		this.left = new CountDownLatch(plan.faults().size());
		this.progress = progress;
		this.startNanos = startNanos;
		this.restMillis = restMillis;
		Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
		for (Fault fault : plan.faults()) {
			List<Victim> ofTarget = victims.getOrDefault(fault.target(), List.of());
			Victim victim = ofTarget.get(fault.instance() % ofTarget.size());
			// Fair, so that faults of one victim keep their order.
			ReentrantLock lock = locks.computeIfAbsent(oneAtATime(fault.target(), victim),
					(_) -> new ReentrantLock(true));
			this.threads.add(Thread.ofVirtual().name("fault-" + fault.number()).start(() -> run(fault, victim, lock)));
		}
	}

	/** One at a time is broken: one broker of three can promise nothing. */
	private static String oneAtATime(ChaosPlan.Target target, Victim victim) {
		return switch (target) {
			case BROKER -> target.toString();
			case GATEWAY, CONSUMER, POSTGRES, BACKEND -> victim.name();
		};
	}

	private void run(Fault fault, Victim victim, ReentrantLock lock) {
		try {
			TimeUnit.NANOSECONDS
				.sleep(this.startNanos + TimeUnit.MILLISECONDS.toNanos(fault.atMillis()) - System.nanoTime());
			lock.lockInterruptibly();
			try {
				if (breakNow(fault, victim)) {
					// Before its next fault: else nobody would see that it has recovered.
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
		}
		finally {
			this.left.countDown();
		}
	}

	/** Whether it was done: not once something has gone wrong. */
	private boolean breakNow(Fault fault, Victim victim) throws InterruptedException {
		this.atOnce.acquire();
		try {
			if (!isWell()) {
				return false;
			}
			begin(fault, victim);
			return true;
		}
		finally {
			this.atOnce.release();
		}
	}

	private void begin(Fault fault, Victim victim) throws InterruptedException {
		this.progress.step("Fault %d: %s, %s".formatted(fault.number(), victim.name(), fault.kind()));
		long began = millis();
		try {
			switch (fault.kind()) {
				case KILL -> {
					victim.process().kill();
					Thread.sleep(fault.lastMillis());
					victim.process().start();
				}
				case RESTART -> {
					victim.process().stop();
					victim.process().start();
				}
				case FREEZE -> {
					victim.process().freeze();
					try {
						Thread.sleep(fault.lastMillis());
					}
					finally {
						victim.process().thaw();
					}
				}
				case ERRORS, HANG, RESET -> {
					Misbehaviour behaviour = victim.behaviour();
					if (behaviour == null) {
						throw new IllegalArgumentException(victim.name() + " cannot be made to misbehave");
					}
					behaviour.begin(fault.kind());
					Thread.sleep(fault.lastMillis());
					behaviour.end();
				}
			}
		}
		catch (RuntimeException ex) {
			throw new LabException("%s did not get over fault %d (%s): %s".formatted(victim.name(), fault.number(),
					fault.kind(), ex.getMessage()), ex);
		}
		synchronized (this.done) {
			this.done.add(new Done(victim.name(), fault.kind(), began, millis()));
		}
	}

	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.startNanos);
	}

	/** Whether nothing has gone wrong but by plan. */
	boolean isWell() {
		return this.failure.get() == null;
	}

	/** Whether everything is mended that was to be broken. */
	boolean isOver() {
		return this.left.getCount() == 0;
	}

	/**
	 * Waits until everything is mended.
	 * @throws LabException if something did not start again, or not in time
	 */
	void awaitHealed(long millis) throws InterruptedException {
		boolean healed = this.left.await(millis, TimeUnit.MILLISECONDS);
		RuntimeException ex = this.failure.get();
		if (ex != null) {
			throw ex;
		}
		if (!healed) {
			throw new LabException(
					"%d faults are not over %d s after the load's end".formatted(this.left.getCount(), millis / 1_000));
		}
	}

	/** Those that are over, in the order of their beginnings. */
	List<Done> done() {
		synchronized (this.done) {
			return this.done.stream().sorted(Comparator.comparingLong(Done::beganMillis)).toList();
		}
	}

	/** Ends what is still waiting; what is frozen is thawed when this returns. */
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
