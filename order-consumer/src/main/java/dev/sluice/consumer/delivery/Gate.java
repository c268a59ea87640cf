package dev.sluice.consumer.delivery;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import dev.sluice.consumer.delivery.Attempt.RetryLater;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;

/**
 * What an order passes to be delivered: at most so many at once, first come first served,
 * and while the backend is down, none but a few that try whether it is back. Who is
 * inside calls {@link #leave} exactly once. Safe for use by several threads.
 * <p>
 * Orders that wait for the circuit keep their place inside the limit: nobody else could
 * use it.
 */
final class Gate {

	/** How often a waiting order looks whether it may try. */
	private static final long LOOK_MILLIS = 50;

	private final int limit;

	private final Semaphore places;

	private final CircuitBreaker circuit;

	private final AtomicInteger openings = new AtomicInteger();

	private final AtomicInteger inside = new AtomicInteger();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	Gate(int limit, BackendProperties.Circuit properties) {
		this.limit = limit;
		this.places = new Semaphore(limit, true);
		this.circuit = CircuitBreaker.of("backend", CircuitBreakerConfig.custom()
			.slidingWindow(properties.windowCalls(), Math.min(properties.minimumCalls(), properties.windowCalls()),
					SlidingWindowType.COUNT_BASED)
			.failureRateThreshold(properties.failurePercent())
			.permittedNumberOfCallsInHalfOpenState(properties.trials())
			.waitDurationInOpenState(properties.openFor())
			.recordResult(RetryLater.class::isInstance)
			.build());
		this.circuit.getEventPublisher().onStateTransition((event) -> changed(event.getStateTransition().getToState()));
	}

	private void changed(State state) {
		if (state == State.OPEN) {
			this.openings.incrementAndGet();
		}
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits until an order may be delivered, as long as it takes.
	 * @throws InterruptedException to give up; nothing is held then
	 */
	void enter() throws InterruptedException {
		this.places.acquire();
		try {
			awaitCircuit();
		}
		catch (InterruptedException ex) {
			this.places.release();
			throw ex;
		}
		this.inside.incrementAndGet();
	}

	private void awaitCircuit() throws InterruptedException {
		if (this.circuit.tryAcquirePermission()) {
			return;
		}
		this.lock.lockInterruptibly();
		try {
			while (!this.circuit.tryAcquirePermission()) {
				// Only asking moves an open circuit on to its trials.
				this.changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** After a delivery. */
	void leave(Attempt attempt, long durationNanos) {
		this.circuit.onResult(durationNanos, TimeUnit.NANOSECONDS, attempt);
		this.inside.decrementAndGet();
		this.places.release();
	}

	/** Without a delivery. */
	void leave() {
		this.circuit.releasePermission();
		this.inside.decrementAndGet();
		this.places.release();
	}

	/** Whether the backend is taken to be well: neither down nor on trial. */
	boolean isOpenToAll() {
		return this.circuit.getState() == State.CLOSED;
	}

	/** How often the backend has been found to be down. */
	int outages() {
		return this.openings.get();
	}

	State circuit() {
		return this.circuit.getState();
	}

	int limit() {
		return this.limit;
	}

	int inside() {
		return this.inside.get();
	}

}
