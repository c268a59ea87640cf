package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import dev.sluice.gateway.core.config.CircuitProperties;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;

/** The circuit breaker of queries to PostgreSQL, and the limit of waiting queries. */
public final class StatusCircuit {

	/** Name of the circuit breaker. */
	public static final String NAME = "status";

	/**
	 * Maximum number of queries that wait for a connection. At two milliseconds each, ten
	 * connections answer about this many in 200 ms.
	 */
	public static final int MAX_WAITING = 1_000;

	private StatusCircuit() {
	}

	/**
	 * The circuit breaker. It opens after a few failures, because each costs its request
	 * the whole time limit. A query that was rejected before it was sent says nothing
	 * about PostgreSQL and does not count. A bug counts as an answer: an open circuit
	 * would hide it.
	 */
	public static CircuitBreaker of(CircuitBreakerRegistry circuits) {
		return circuits.circuitBreaker(NAME,
				CircuitBreakerConfig.custom()
					.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
					.permittedNumberOfCallsInHalfOpenState(2)
					.maxWaitDurationInHalfOpenState(CircuitProperties.maxTrialTime(Duration.ZERO))
					.transitionToStateAfterWaitDuration(State.CLOSED)
					.waitDurationInOpenState(Duration.ofSeconds(1))
					.ignoreExceptions(RejectedExecutionException.class)
					.recordException(StatusUnavailableException::isCausedBy)
					.writableStackTraceEnabled(false)
					.build());
	}

}
