package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.jspecify.annotations.Nullable;

/**
 * Admits orders to delivery: at most {@link #limit} at once, first come first served, and
 * while the backend is down only a few trials. An order that was admitted calls
 * {@code leave} exactly once. Thread-safe.
 * <p>
 * Orders that wait for the circuit keep their place inside the limit, which no other
 * order could use. They sleep until the circuit tells of a change or its next trial is
 * due.
 */
public final class Gate {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private final DeliveryLimit limit;

	private final Places places;

	private final BackendHealth health;

	private final Time time;

	private final AtomicInteger inside = new AtomicInteger();

	/** Completes at the next change of the circuit. */
	private volatile CompletableFuture<Void> change = new CompletableFuture<>();

	/**
	 * @param concurrency the greatest limit
	 */
	public Gate(int concurrency, BackendHealth health, Time time) {
		this.limit = new DeliveryLimit(concurrency);
		this.places = new Places(concurrency);
		this.health = health;
		this.time = time;
		health.onChange(this::wakeAll);
	}

	private synchronized void wakeAll() {
		CompletableFuture<Void> now = this.change;
		this.change = new CompletableFuture<>();
		now.complete(null);
	}

	/**
	 * Waits until an order may be delivered, as long as it takes.
	 * @return when its attempt begins, for {@link #leave(Attempt, long)}
	 * @throws InterruptedException to give up; nothing is held then
	 */
	public long enter() throws InterruptedException {
		this.places.acquire();
		try {
			awaitCircuit();
		}
		catch (InterruptedException ex) {
			this.places.release();
			throw ex;
		}
		this.inside.incrementAndGet();
		return this.time.nanoTime();
	}

	private void awaitCircuit() throws InterruptedException {
		// Read before the question, so that no change after it goes unnoticed.
		CompletableFuture<Void> change = this.change;
		while (!this.health.tryPass()) {
			Duration untilTrial = this.health.untilNextTrial();
			this.time.await(change, (untilTrial.compareTo(SHORTEST_WAIT) > 0) ? untilTrial : SHORTEST_WAIT);
			change = this.change;
		}
	}

	/**
	 * After an attempt.
	 * @param beganNanos when it began
	 * @return its failure, if that may count against the order; else null
	 */
	public @Nullable Failure leave(Attempt attempt, long beganNanos) {
		Failure failure = this.health.ended(attempt, beganNanos);
		switch (attempt) {
			case Throttled _ -> this.limit.throttled(beganNanos, this.time.nanoTime());
			case Saved _, Rejected _, Conflict _ -> this.limit.processed();
			case RetryLater _ -> {
			}
		}
		this.places.resize(this.limit);
		this.inside.decrementAndGet();
		this.places.release();
		return failure;
	}

	/** Without an attempt. */
	public void leave() {
		this.health.released();
		this.inside.decrementAndGet();
		this.places.release();
	}

	/** For an order that is about to be tried for the first time. */
	public RetryBudget budget(int maxAttempts) {
		return this.health.budget(maxAttempts);
	}

	/** Whether an order is not to be tried again. To be asked before each retry. */
	public boolean isSpent(RetryBudget budget) {
		return this.health.isSpent(budget);
	}

	/** How often the backend has been found to be down. */
	public int outages() {
		return this.health.outages();
	}

	public State circuit() {
		return this.health.circuit();
	}

	public int limit() {
		return this.limit.current();
	}

	public int inside() {
		return this.inside.get();
	}

	/**
	 * Places that come and go. When they shrink, those taken are given up as they end.
	 */
	@SuppressWarnings("serial")
	private static final class Places extends Semaphore {

		private int size;

		Places(int size) {
			super(size, true);
			this.size = size;
		}

		synchronized void resize(DeliveryLimit limit) {
			int wanted = limit.current();
			if (wanted > this.size) {
				release(wanted - this.size);
			}
			else if (wanted < this.size) {
				reducePermits(this.size - wanted);
			}
			this.size = wanted;
		}

	}

}
