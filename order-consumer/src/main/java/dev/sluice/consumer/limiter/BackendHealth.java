package dev.sluice.consumer.limiter;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.Explanation;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the attempts of all orders say about the backend: a circuit breaker, which opens
 * by failures in a row and by the share of failures in a window of time, and the evidence
 * by which a failure counts against its order. Thread-safe, never blocks.
 * <p>
 * Each successful {@link #tryPass} is followed by one {@link #ended} or
 * {@link #released}. A throttled attempt is neither a success nor a failure here.
 */
public final class BackendHealth {

	private static final Logger logger = LoggerFactory.getLogger(BackendHealth.class);

	private final CircuitBreaker circuit;

	private final BackendEvidence evidence;

	private final int consecutiveFailures;

	private final Duration openFor;

	private final long windowNanos;

	private final LongSupplier nanoTime;

	private final AtomicInteger failuresInARow = new AtomicInteger();

	private final AtomicInteger openings = new AtomicInteger();

	private volatile long openedNanos;

	private volatile String lastFailure = "";

	private volatile Runnable onChange = () -> {
	};

	/**
	 * @param nanoTime as {@link System#nanoTime}
	 */
	public BackendHealth(BackendProperties.Circuit properties, Duration evidenceGap, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.evidence = new BackendEvidence(evidenceGap.toNanos());
		this.consecutiveFailures = properties.consecutiveFailures();
		this.openFor = properties.openFor();
		this.windowNanos = properties.window().toNanos();
		this.circuit = CircuitBreaker.of("backend",
				CircuitBreakerConfig.custom()
					.slidingWindow(Math.toIntExact(properties.window().toSeconds()), properties.minimumCalls(),
							SlidingWindowType.TIME_BASED)
					.failureRateThreshold(properties.failurePercent())
					.permittedNumberOfCallsInHalfOpenState(properties.trials())
					.waitDurationInOpenState(properties.openFor())
					.recordResult(RetryLater.class::isInstance)
					.clock(new ElapsedClock(nanoTime))
					.build());
		this.circuit.getEventPublisher()
			.onStateTransition((event) -> changed(event.getStateTransition().getFromState(),
					event.getStateTransition().getToState()));
	}

	/**
	 * Sets what is told of each change by which an order may pass that could not before.
	 */
	void onChange(Runnable listener) {
		this.onChange = listener;
	}

	private void changed(State from, State to) {
		this.failuresInARow.set(0);
		if (to == State.OPEN) {
			this.openedNanos = this.nanoTime.getAsLong();
			this.openings.incrementAndGet();
		}
		if (from == State.CLOSED && to == State.OPEN) {
			logger.warn("The backend fails; deliveries wait until it is back. The last failure: {}", this.lastFailure);
		}
		if (to == State.CLOSED) {
			logger.info("The backend is back");
		}
		this.onChange.run();
	}

	/** Whether an order may be tried now. */
	public boolean tryPass() {
		return this.circuit.tryAcquirePermission();
	}

	/**
	 * How long until {@link #tryPass} may say otherwise without a change being told.
	 */
	public Duration untilNextTrial() {
		if (this.circuit.getState() != State.OPEN) {
			return this.openFor;
		}
		// The circuit compares milliseconds.
		return this.openFor.minusNanos(this.nanoTime.getAsLong() - this.openedNanos).plusMillis(1);
	}

	/** An order passed and was not tried. */
	void released() {
		this.circuit.releasePermission();
		this.onChange.run();
	}

	/**
	 * An attempt has ended.
	 * @return its failure, if that may count against the order; else null
	 */
	public @Nullable Failure ended(Attempt attempt, long beganNanos) {
		long endedNanos = this.nanoTime.getAsLong();
		return switch (attempt) {
			case Throttled _ -> {
				released();
				yield null;
			}
			case Saved saved -> {
				this.evidence.saved(beganNanos, endedNanos);
				record(saved, endedNanos - beganNanos);
				yield null;
			}
			case Rejected _, Conflict _ -> {
				record(attempt, endedNanos - beganNanos);
				yield null;
			}
			case RetryLater(Explanation why, boolean reached) -> {
				this.lastFailure = why.detail();
				Failure failure = reached ? this.evidence.failed(beganNanos, endedNanos) : null;
				record(attempt, endedNanos - beganNanos);
				yield isWell() ? failure : null;
			}
		};
	}

	private void record(Attempt attempt, long elapsedNanos) {
		this.circuit.onResult(elapsedNanos, TimeUnit.NANOSECONDS, attempt);
		if (!(attempt instanceof RetryLater)) {
			this.failuresInARow.set(0);
			return;
		}
		int failures = this.failuresInARow.incrementAndGet();
		if (failures >= this.consecutiveFailures && isWell() && this.failuresInARow.compareAndSet(failures, 0)) {
			this.circuit.transitionToOpenState();
		}
	}

	/** Whether the circuit is closed: the backend is neither down nor on trial. */
	boolean isWell() {
		return this.circuit.getState() == State.CLOSED;
	}

	/** For an order that is about to be tried for the first time. */
	public RetryBudget budget(int maxAttempts) {
		return new RetryBudget(maxAttempts, this.windowNanos, this.openings.get(), this.nanoTime.getAsLong());
	}

	/** Whether an order is not to be tried again. To be asked before each retry. */
	public boolean isSpent(RetryBudget budget) {
		return budget.isSpent(this.openings.get(), this.nanoTime.getAsLong());
	}

	/** How often the circuit has opened. */
	int outages() {
		return this.openings.get();
	}

	State circuit() {
		return this.circuit.getState();
	}

	/** Time that nobody sets: a step of the system's clock must not hold the circuit. */
	private static final class ElapsedClock extends Clock {

		private final LongSupplier nanoTime;

		private final long startNanos;

		ElapsedClock(LongSupplier nanoTime) {
			this.nanoTime = nanoTime;
			this.startNanos = nanoTime.getAsLong();
		}

		@Override
		public Instant instant() {
			return Instant.EPOCH.plusNanos(this.nanoTime.getAsLong() - this.startNanos);
		}

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

	}

}
