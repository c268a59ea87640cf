package dev.sluice.lab.chaos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks and mends, one round of faults after the other until the load ends; the first
 * round is finished in any case. {@link #AT_ONCE} threads each take the next fault, wait
 * until its group is whole, break, mend and pause. A fault that would outlast the run is
 * mended, whatever happens.
 */
final class FaultInjector implements AutoCloseable {

	/**
	 * With more, a machine that starts processes more slowly than they are killed would
	 * end up with none running.
	 */
	static final int AT_ONCE = 2;

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	private final Supplier<List<Fault>> rounds;

	private final Schedule schedule;

	private final BackendControl backend;

	private final Progress progress;

	/** One for each group: who has it may break something of the group. */
	private final Map<String, Semaphore> whole = new ConcurrentHashMap<>();

	private final Queue<ChaosResult.Fault> done = new ConcurrentLinkedQueue<>();

	private final AtomicReference<@Nullable LabException> failure = new AtomicReference<>();

	/** Faults of the round that have not begun. Guarded by this, as what follows. */
	private final Queue<Fault> left = new ArrayDeque<>();

	private int round;

	/**
	 * When to break things.
	 *
	 * @param startNanos when the load began, of {@link System#nanoTime}
	 * @param lead time without faults at its begin, to show the undisturbed system
	 * @param last time since its begin after which no fault begins, so that the recovery
	 * from the last one shows
	 * @param maxPause longest pause of a thread between two faults
	 */
	record Schedule(long startNanos, Duration lead, Duration last, Duration maxPause) {

		long millis() {
			return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.startNanos);
		}

		boolean isOver() {
			return millis() >= this.last.toMillis();
		}

	}

	/** Begins. Each round has at least one fault. */
	FaultInjector(Supplier<List<Fault>> rounds, Schedule schedule, BackendControl backend, Progress progress) {
		this.rounds = rounds;
		this.schedule = schedule;
		this.backend = backend;
		this.progress = progress;
		for (int i = 0; i < AT_ONCE; i++) {
			this.threads.submit(() -> {
				Thread.sleep(schedule.lead());
				for (Fault fault = next(); fault != null; fault = next()) {
					inject(fault);
					Thread.sleep(ThreadLocalRandom.current().nextLong(schedule.maxPause().toMillis() + 1));
				}
				return null;
			});
		}
		this.threads.shutdown();
	}

	/**
	 * Waits until nothing else of its group is broken. The other thread waits for that
	 * too, if it wants a fault meanwhile.
	 * @return null if there is no other, or something has gone wrong
	 */
	private synchronized @Nullable Fault next() throws InterruptedException {
		if (this.left.isEmpty() && (this.round == 0 || !this.schedule.isOver())) {
			this.round++;
			this.left.addAll(this.rounds.get());
		}
		Fault fault = isOver() ? null : this.left.poll();
		if (fault != null) {
			whole(fault).acquire();
		}
		return isOver() ? null : fault;
	}

	private boolean isOver() {
		return this.failure.get() != null || this.round > 1 && this.schedule.isOver();
	}

	private Semaphore whole(Fault fault) {
		return this.whole.computeIfAbsent(fault.victim().group(), (_) -> new Semaphore(1));
	}

	private void inject(Fault fault) throws InterruptedException {
		String name = fault.victim().name();
		this.progress.step("Fault: %s, %s".formatted(name, fault.kind()));
		long began = this.schedule.millis();
		try {
			fault.happen(this.backend);
			this.done.add(new ChaosResult.Fault(name, fault.kind().toString(), began, this.schedule.millis()));
		}
		catch (RuntimeException | Error ex) {
			String what = "%s did not get over a fault (%s): %s".formatted(name, fault.kind(), ex.getMessage());
			// Reported immediately, even if the run is being stopped and ignores it.
			this.progress.step(what);
			this.failure.compareAndSet(null, new LabException(what, ex));
		}
		// Not after an interrupt: no other fault of the group begins then.
		whole(fault).release();
	}

	/**
	 * Checks that only these faults have happened.
	 * @throws LabException if a process did not start again
	 */
	void check() {
		LabException ex = this.failure.get();
		if (ex != null) {
			throw ex;
		}
	}

	/**
	 * Waits until everything is mended.
	 * @throws LabException if a process did not start again, or not in time
	 */
	void awaitHealed(Duration within) throws InterruptedException {
		boolean healed = this.threads.awaitTermination(within.toMillis(), TimeUnit.MILLISECONDS);
		check();
		if (!healed) {
			throw new LabException("Faults are not over %s s after the load's end".formatted(within.toSeconds()));
		}
	}

	/** The faults that are over, in the order in which they began. */
	List<ChaosResult.Fault> done() {
		return this.done.stream().sorted(Comparator.comparingLong(ChaosResult.Fault::beganMillis)).toList();
	}

	/** When this returns, no further fault begins, and what is frozen is mended. */
	@Override
	public void close() {
		this.threads.shutdownNow();
		this.threads.close();
	}

}
