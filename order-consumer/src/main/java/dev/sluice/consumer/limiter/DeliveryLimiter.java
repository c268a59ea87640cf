package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Limits the orders in delivery to {@link #limit} at once, first come first served. While
 * the circuit breaker is open, that is one order at a time, which waits with its permit
 * until it may be tried. Each {@link #acquire} is followed by exactly one
 * {@code release}.
 */
public final class DeliveryLimiter {

	@GuardedBy("this")
	private final AdaptiveLimit limit;

	private final ResizableSemaphore permits;

	private final BackendHealth health;

	private final Time time;

	private final AtomicInteger inFlight = new AtomicInteger();

	/** Completes at the next change of the circuit breaker. */
	private volatile CompletableFuture<Void> change = new CompletableFuture<>();

	/**
	 * @param concurrency the maximum of the limit
	 */
	public DeliveryLimiter(int concurrency, BackendHealth health, Time time) {
		this.limit = new AdaptiveLimit(concurrency);
		this.permits = new ResizableSemaphore(this.limit.current());
		this.health = health;
		this.time = time;
		health.onChange(this::circuitChanged);
	}

	/** The release whose attempt changed it resizes the permits. */
	private synchronized void circuitChanged() {
		if (this.health.isHealthy()) {
			this.limit.recovered(this.health.unsavedFor(), this.time.nanoTime());
		}
		else {
			this.limit.outage(this.time.nanoTime());
		}
		CompletableFuture<Void> now = this.change;
		this.change = new CompletableFuture<>();
		now.complete(null);
	}

	/**
	 * Blocks until an order may be delivered, without a timeout.
	 * @return the time at which its attempt begins, in nanoseconds, for
	 * {@link #release(Attempt, long)}
	 * @throws InterruptedException if the thread is interrupted; it holds no permit then
	 */
	public long acquire() throws InterruptedException {
		while (true) {
			if (this.inFlight.get() == 0) {
				resume();
			}
			this.permits.acquire();
			boolean admitted = false;
			try {
				awaitTurn();
				// The limit may have shrunk after it gave this permit. An attempt that
				// begins all the same would look like a failure of the smaller limit.
				admitted = this.inFlight.get() < limit();
			}
			finally {
				if (!admitted) {
					resize();
					this.permits.release();
				}
			}
			if (admitted) {
				this.inFlight.incrementAndGet();
				return this.time.nanoTime();
			}
		}
	}

	private void awaitTurn() throws InterruptedException {
		// Read first, so that a change after the reservation completes this future.
		CompletableFuture<Void> change = this.change;
		Duration wait = this.health.reserve(limit());
		if (wait.isPositive()) {
			this.time.await(change, wait);
		}
	}

	/** Locked, so that no order takes a permit of the limit before the pause. */
	private synchronized void resume() {
		this.limit.resume(this.time.nanoTime());
		resize();
	}

	private synchronized void resize() {
		this.permits.resize(this.limit.current());
	}

	/**
	 * Gives the permit back after an attempt.
	 * @param beganNanos what {@link #acquire} returned
	 * @return the failure of the attempt if it may count against the order, else null
	 */
	public synchronized @Nullable Failure release(Attempt attempt, long beganNanos) {
		Failure failure = this.health.attempted(attempt, beganNanos);
		int inFlight = ended();
		if (attempt instanceof Throttled) {
			this.limit.throttled(beganNanos, this.time.nanoTime());
		}
		else if (this.health.isHealthy()) {
			switch (attempt) {
				case RetryLater _ -> this.limit.failed(beganNanos, this.time.nanoTime());
				default -> this.limit.processed(beganNanos, inFlight);
			}
		}
		resize();
		this.permits.release();
		return failure;
	}

	/** Gives the permit back without an attempt. */
	public synchronized void release() {
		ended();
		this.permits.release();
	}

	/**
	 * Counts an order that is no longer in delivery.
	 * @return the number of orders in delivery before, this one included
	 */
	@GuardedBy("this")
	private int ended() {
		int inFlight = this.inFlight.getAndDecrement();
		if (inFlight == 1) {
			this.limit.idle(this.time.nanoTime());
		}
		return inFlight;
	}

	/** Creates the retry budget of an order. Called before its first attempt. */
	public RetryBudget budget(int maxAttempts) {
		return this.health.budget(maxAttempts);
	}

	/** Whether the circuit breaker is open. */
	public boolean isOpen() {
		return !this.health.isHealthy();
	}

	public synchronized int limit() {
		return this.limit.current();
	}

	/** Orders in delivery now. */
	public int inFlight() {
		return this.inFlight.get();
	}

	/**
	 * A semaphore whose number of permits changes. When it shrinks, permits in use
	 * disappear as they are released. The limiter's lock guards its size.
	 */
	@SuppressWarnings("serial")
	private static final class ResizableSemaphore extends Semaphore {

		private int size;

		ResizableSemaphore(int size) {
			super(size, true);
			this.size = size;
		}

		void resize(int wanted) {
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
