package dev.sluice.gateway.core.config;

import java.time.Duration;

import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;

/** When a circuit breaker stops calls to a dependency that fails. */
public final class Circuits {

	private Circuits() {
	}

	/**
	 * A circuit that opens for a second if half of the calls of ten seconds have failed,
	 * of at least fifty, and then tries ten. Calls ended by an {@link Error} have no
	 * result, and would keep it half-open forever, refusing all others. So it closes a
	 * minute after a call must have ended.
	 * @param deadline maximum time of a call
	 */
	public static CircuitBreakerConfig.Builder config(Duration deadline) {
		return CircuitBreakerConfig.custom()
			.slidingWindow(10, 50, SlidingWindowType.TIME_BASED)
			.failureRateThreshold(50)
			.permittedNumberOfCallsInHalfOpenState(10)
			.maxWaitDurationInHalfOpenState(deadline.plusMinutes(1))
			.transitionToStateAfterWaitDuration(State.CLOSED)
			.waitDurationInOpenState(Duration.ofSeconds(1))
			.writableStackTraceEnabled(false);
	}

}
