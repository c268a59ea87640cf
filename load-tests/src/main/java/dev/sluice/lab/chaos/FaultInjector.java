package dev.sluice.lab.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Breakable;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.chaos.ChaosPlan.Target;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks and mends by plan. A virtual thread for each fault waits for the fault's time,
 * then until nothing of its group is broken and fewer than {@link #AT_ONCE} other faults
 * are going on. A fault that would outlast the run is mended, whatever happens.
 */
final class FaultInjector implements AutoCloseable {

	/**
	 * With more, a machine that starts processes more slowly than they are killed would
	 * end up with none running.
	 */
	static final int AT_ONCE = 2;

	private static final Duration POLL = Duration.ofMillis(20);

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	private final List<Future<?>> faults = new ArrayList<>();

	private final List<Done> done = new ArrayList<>();

	private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

	private final Semaphore atOnce = new Semaphore(AT_ONCE, true);

	private final Progress progress;

	private final long startNanos;

	private final long restMillis;

	/**
	 * A process that the lab started and can break.
	 *
	 * @param name its name in the results
	 * @param process the process to kill, freeze and start
	 * @param backend makes it misbehave if it is the backend; null if it is not
	 */
	record Victim(String name, Breakable process, @Nullable BackendControl backend) {
	}

	/**
	 * A fault that is over.
	 *
	 * @param target what was broken
	 * @param kind how
	 * @param beganMillis when it began, in milliseconds since the load began
	 * @param healedMillis when it was mended, in milliseconds since the load began
	 */
	record Done(String target, Kind kind, long beganMillis, long healedMillis) {
	}

	/**
	 * Starts waiting for the times of the faults.
	 * @param victims the processes of each target that the plan breaks
	 * @param startNanos when the load began, of {@link System#nanoTime}
	 * @param restMillis pause of a group after each of its faults, in milliseconds
	 */
	FaultInjector(ChaosPlan plan, Map<Target, List<Victim>> victims, long startNanos, long restMillis,
			Progress progress) {
		this.progress = progress;
		this.startNanos = startNanos;
		this.restMillis = restMillis;
		Map<String, ReentrantLock> locks = new HashMap<>();
		for (ChaosPlan.Fault fault : plan.faults()) {
			Victim victim = Objects.requireNonNull(victims.get(fault.target())).get(fault.instance());
			// One broker at a time: one of three that is left cannot acknowledge
			// anything.
			String group = (fault.target() == Target.BROKER) ? fault.target().toString() : victim.name();
			// Fair, so that faults of one group keep their order.
			ReentrantLock lock = locks.computeIfAbsent(group, (_) -> new ReentrantLock(true));
			this.faults.add(this.threads.submit(() -> {
				run(fault, victim, lock);
				return null;
			}));
		}
	}

	private void run(ChaosPlan.Fault fault, Victim victim, ReentrantLock lock) throws InterruptedException {
		TimeUnit.NANOSECONDS
			.sleep(this.startNanos + TimeUnit.MILLISECONDS.toNanos(fault.atMillis()) - System.nanoTime());
		lock.lockInterruptibly();
		try {
			if (inject(fault, victim)) {
				// Pauses before the group's next fault, so that recovery shows.
				Thread.sleep(this.restMillis);
			}
		}
		catch (RuntimeException ex) {
			String what = "%s did not get over fault %s (%s): %s".formatted(victim.name(), fault.number(), fault.kind(),
					ex.getMessage());
			// Reported immediately, even if the run is being stopped and ignores it.
			this.progress.step(what);
			this.failure.compareAndSet(null, new LabException(what, ex));
		}
		finally {
			lock.unlock();
		}
	}

	/** Returns whether the fault was done; false once something has gone wrong. */
	private boolean inject(ChaosPlan.Fault fault, Victim victim) throws InterruptedException {
		this.atOnce.acquire();
		try {
			if (this.failure.get() != null) {
				return false;
			}
			this.progress.step("Fault %s: %s, %s".formatted(fault.number(), victim.name(), fault.kind()));
			long began = millis();
			breakAndMend(victim, fault.kind(), fault.lastMillis());
			synchronized (this.done) {
				this.done.add(new Done(victim.name(), fault.kind(), began, millis()));
			}
			return true;
		}
		finally {
			this.atOnce.release();
		}
	}

	private static void breakAndMend(Victim victim, Kind kind, long lastMillis) throws InterruptedException {
		Breakable process = victim.process();
		switch (kind) {
			case KILL -> {
				process.kill();
				Thread.sleep(lastMillis);
				process.start();
			}
			case RESTART -> {
				process.stop();
				process.start();
			}
			case FREEZE -> {
				process.freeze();
				try {
					Thread.sleep(lastMillis);
				}
				finally {
					process.unfreeze();
				}
			}
			case ERRORS -> misbehave(victim, BackendBehaviour.DEFAULT.withErrors(1, 503), lastMillis);
			case HANG -> misbehave(victim,
					new BackendBehaviour(new Delay.Fixed(0), 0, 503, 1, 0, 0, new Capacity.Unlimited()), lastMillis);
			case RESET -> misbehave(victim,
					new BackendBehaviour(new Delay.Fixed(0), 0, 503, 0, 1, 0, new Capacity.Unlimited()), lastMillis);
		}
	}

	private static void misbehave(Victim victim, BackendBehaviour behaviour, long lastMillis)
			throws InterruptedException {
		BackendControl backend = Objects.requireNonNull(victim.backend(), victim.name());
		backend.behave(behaviour);
		Thread.sleep(lastMillis);
		backend.behave(BackendBehaviour.DEFAULT);
	}

	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.startNanos);
	}

	/**
	 * Checks that only planned faults have happened.
	 * @throws LabException if a process did not start again
	 */
	void check() {
		RuntimeException ex = this.failure.get();
		if (ex != null) {
			throw ex;
		}
	}

	/** Whether all faults are over and mended. */
	boolean isOver() {
		return left() == 0;
	}

	private long left() {
		return this.faults.stream().filter((fault) -> !fault.isDone()).count();
	}

	/**
	 * Waits until everything is mended.
	 * @throws LabException if a process did not start again, or not in time
	 */
	void awaitHealed(long millis) throws InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		while (!isOver()) {
			check();
			if (System.nanoTime() - deadline >= 0) {
				throw new LabException("Not over %s s after the load's end: %s".formatted(millis / 1_000,
						Figures.counted(left(), "fault")));
			}
			Thread.sleep(POLL);
		}
		check();
	}

	/** The faults that are over, in the order in which they began. */
	List<Done> done() {
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
		this.threads.shutdownNow();
		this.threads.close();
	}

}
