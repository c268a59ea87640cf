package dev.sluice.lab.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Breaks and mends, one round of faults after the other until the load ends; the first
 * round is finished in any case. {@link #AT_ONCE} threads each take the next fault whose
 * group is whole, break, mend and pause. A fault that would outlast the run is mended,
 * whatever happens.
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

	/** Faults of the round that have not begun. Guarded by this, as what follows. */
	private final List<Fault> left = new ArrayList<>();

	private final Set<String> broken = new HashSet<>();

	private final List<ChaosResult.Fault> done = new ArrayList<>();

	private int round;

	private @Nullable LabException failure;

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

	/** Waits for one; null if there is no other, or something has gone wrong. */
	private synchronized @Nullable Fault next() throws InterruptedException {
		while (this.failure == null) {
			boolean over = this.schedule.millis() >= this.schedule.last().toMillis();
			if (over && this.round > 1) {
				this.left.clear();
			}
			else if (this.left.isEmpty() && !(over && this.round == 1)) {
				this.round++;
				this.left.addAll(this.rounds.get());
			}
			for (Fault fault : this.left) {
				if (this.broken.add(fault.victim().group())) {
					this.left.remove(fault);
					return fault;
				}
			}
			if (this.left.isEmpty()) {
				return null;
			}
			wait();
		}
		return null;
	}

	private void inject(Fault fault) throws InterruptedException {
		String name = fault.victim().name();
		this.progress.step("Fault: %s, %s".formatted(name, fault.kind()));
		long began = this.schedule.millis();
		try {
			fault.happen(this.backend);
			ended(fault, new ChaosResult.Fault(name, fault.kind().toString(), began, this.schedule.millis()), null);
		}
		catch (RuntimeException | Error ex) {
			String what = "%s did not get over a fault (%s): %s".formatted(name, fault.kind(), ex.getMessage());
			// Reported immediately, even if the run is being stopped and ignores it.
			this.progress.step(what);
			ended(fault, null, new LabException(what, ex));
		}
	}

	private synchronized void ended(Fault fault, ChaosResult.@Nullable Fault over, @Nullable LabException wrong) {
		this.broken.remove(fault.victim().group());
		if (over != null) {
			this.done.add(over);
		}
		this.failure = (this.failure != null) ? this.failure : wrong;
		notifyAll();
	}

	/**
	 * Checks that only these faults have happened.
	 * @throws LabException if a process did not start again
	 */
	synchronized void check() {
		if (this.failure != null) {
			throw this.failure;
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
	synchronized List<ChaosResult.Fault> done() {
		return this.done.stream().sorted(Comparator.comparingLong(ChaosResult.Fault::beganMillis)).toList();
	}

	/** When this returns, no further fault begins, and what is frozen is mended. */
	@Override
	public void close() {
		this.threads.shutdownNow();
		this.threads.close();
	}

}
