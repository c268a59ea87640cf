package dev.sluice.consumer.limiter;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges the backend by the attempts of all orders. A circuit breaker opens after
 * consecutive failures, or when too large a share of the attempts in a window of time has
 * failed. {@link BackendEvidence} decides which failures count against their order. No
 * method blocks.
 * <p>
 * Each successful {@link #tryAcquire} is followed by one {@link #attempted} or
 * {@link #releasePermission}. A throttled attempt counts neither as a success nor as a
 * failure.
 */
public final class BackendHealth {

	private static final Logger logger = LoggerFactory.getLogger(BackendHealth.class);

	private final CircuitBreaker circuit;

	private final BackendEvidence evidence;

	private final int consecutiveFailures;

	private final Duration openFor;

	private final long windowNanos;

	private final LongSupplier nanoTime;

	private final AtomicInteger inFlight = new AtomicInteger();

	private final AtomicReference<ConsecutiveFailures> consecutive = new AtomicReference<>(ConsecutiveFailures.NONE);

	private final AtomicInteger outages = new AtomicInteger();

	private volatile long openedNanos;

	/** Failed and rejected attempts of any orders since the latest save. */
	private final AtomicInteger unsaved = new AtomicInteger();

	/** When the latest save ended; null before the first. */
	private volatile @Nullable Long savedNanos;

	/** How long the latest save took. */
	private volatile long saveNanos;

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
					.clock(elapsed(nanoTime))
					.build());
		this.circuit.getEventPublisher()
			.onStateTransition((event) -> changed(event.getStateTransition().getFromState(),
					event.getStateTransition().getToState()));
	}

	/** Monotonic: a step of the system clock must not keep the circuit breaker open. */
	private static Clock elapsed(LongSupplier nanoTime) {
		long startNanos = nanoTime.getAsLong();
		InstantSource elapsed = () -> Instant.EPOCH.plusNanos(nanoTime.getAsLong() - startNanos);
		return elapsed.withZone(ZoneOffset.UTC);
	}

	/**
	 * Sets the listener of changes after which another order may be tried.
	 */
	void onChange(Runnable listener) {
		this.onChange = listener;
	}

	private void changed(State from, State to) {
		this.consecutive.set(ConsecutiveFailures.NONE);
		if (to == State.OPEN) {
			this.openedNanos = this.nanoTime.getAsLong();
			this.outages.incrementAndGet();
		}
		if (from == State.CLOSED && to == State.OPEN) {
			logger.warn(
					"The circuit breaker opened: deliveries wait until the backend answers again. The last failure: {}",
					this.lastFailure);
		}
		if (to == State.CLOSED) {
			logger.info("The circuit breaker closed: the backend answers again");
		}
		this.onChange.run();
	}

	/** Whether an order may be tried now. */
	public boolean tryAcquire() {
		boolean permitted = this.circuit.tryAcquirePermission();
		if (permitted) {
			this.inFlight.incrementAndGet();
		}
		return permitted;
	}

	/**
	 * How long until {@link #tryAcquire} may succeed without a call of the listener.
	 */
	public Duration untilNextTrial() {
		if (this.circuit.getState() != State.OPEN) {
			return this.openFor;
		}
		// The circuit compares milliseconds.
		return this.openFor.minusNanos(this.nanoTime.getAsLong() - this.openedNanos).plusMillis(1);
	}

	/** Gives back the permission of an order that was not tried. */
	void releasePermission() {
		this.inFlight.decrementAndGet();
		this.circuit.releasePermission();
		this.onChange.run();
	}

	/**
	 * Records an attempt.
	 * @return its failure if it may count against the order, else null
	 */
	public @Nullable Failure attempted(Attempt attempt, long beganNanos) {
		long endedNanos = this.nanoTime.getAsLong();
		return switch (attempt) {
			case Throttled _ -> {
				releasePermission();
				yield null;
			}
			case Saved saved -> {
				this.unsaved.set(0);
				this.savedNanos = endedNanos;
				this.evidence.saved(beganNanos, endedNanos);
				record(saved, beganNanos, endedNanos);
				yield null;
			}
			case Conflict _ -> {
				record(attempt, beganNanos, endedNanos);
				yield null;
			}
			case Rejected(FailureReason why) -> {
				this.unsaved.incrementAndGet();
				Failure failure = this.evidence.failed(beganNanos, endedNanos);
				recordRejection(attempt, why, beganNanos, endedNanos);
				yield isHealthy() ? failure : null;
			}
			case RetryLater(FailureReason why, Reach reach) -> {
				this.unsaved.incrementAndGet();
				this.lastFailure = why.detail();
				Failure failure = (reach != Reach.NOT_REACHED) ? this.evidence.failed(beganNanos, endedNanos) : null;
				record(attempt, beganNanos, endedNanos);
				yield isHealthy() ? failure : null;
			}
		};
	}

	/**
	 * While other orders are saved, a rejection speaks about its order. Otherwise the
	 * backend, or something in front of it, may refuse all: that is a failure, and no
	 * result of a trial.
	 */
	private void recordRejection(Attempt rejected, FailureReason why, long beganNanos, long endedNanos) {
		Long saved = this.savedNanos;
		if (saved != null && endedNanos - saved <= this.windowNanos) {
			record(rejected, beganNanos, endedNanos);
		}
		else if (isHealthy()) {
			this.lastFailure = why.detail();
			record(new RetryLater(why, Reach.ANSWERED), beganNanos, endedNanos);
		}
		else {
			releasePermission();
		}
	}

	private void record(Attempt attempt, long beganNanos, long endedNanos) {
		int inFlight = this.inFlight.getAndDecrement();
		this.circuit.onResult(endedNanos - beganNanos, TimeUnit.NANOSECONDS, attempt);
		if (!(attempt instanceof RetryLater)) {
			this.consecutive.set(ConsecutiveFailures.NONE);
			if (attempt instanceof Saved) {
				this.saveNanos = endedNanos - beganNanos;
			}
			return;
		}
		ConsecutiveFailures now = this.consecutive.updateAndGet((before) -> before.next(endedNanos));
		// An overloaded backend refuses many orders while it saves one, and the failures
		// of all that began together may come before the first save.
		if (now.number >= Math.max(this.consecutiveFailures, inFlight) && endedNanos - now.beganNanos >= this.saveNanos
				&& isHealthy() && this.consecutive.compareAndSet(now, ConsecutiveFailures.NONE)) {
			this.circuit.transitionToOpenState();
		}
	}

	/**
	 * Failures since the latest attempt that did not fail.
	 *
	 * @param number their number
	 * @param beganNanos when the first one ended
	 */
	private record ConsecutiveFailures(int number, long beganNanos) {

		private static final ConsecutiveFailures NONE = new ConsecutiveFailures(0, 0);

		ConsecutiveFailures next(long endedNanos) {
			return new ConsecutiveFailures(this.number + 1, (this.number > 0) ? this.beganNanos : endedNanos);
		}

	}

	/** Whether the circuit breaker is closed. */
	boolean isHealthy() {
		return this.circuit.getState() == State.CLOSED;
	}

	/** Creates the retry budget of an order. Called before its first attempt. */
	public RetryBudget budget(int maxAttempts) {
		return new RetryBudget(maxAttempts, this.windowNanos, this.outages::get, this::unsaved, this.nanoTime);
	}

	/**
	 * Failed and rejected attempts of any orders since the latest save; more than any
	 * order has had while the circuit breaker is not closed.
	 */
	private int unsaved() {
		return isHealthy() ? this.unsaved.get() : Integer.MAX_VALUE;
	}

	/** How often the circuit breaker has opened. */
	int outages() {
		return this.outages.get();
	}

	State circuit() {
		return this.circuit.getState();
	}

}
