package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import dev.sluice.gateway.core.config.Circuits;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;

/**
 * The circuit breakers of queries to PostgreSQL, and the limit of waiting queries. A
 * query with a short time limit, as the look-up of a queued order's key, has a circuit
 * breaker of its own: what PostgreSQL did not answer in an eighth of a second is no
 * reason to refuse a sync order, which waits for two.
 */
public final class StatusCircuit {

	/** Name of the circuit breaker. */
	public static final String NAME = "status";

	/** Name of the circuit breaker of short time limits. */
	public static final String SHORT_NAME = "status-short";

	private static final Duration SHORT = Duration.ofMillis(500);

	/**
	 * Maximum number of queries that wait for a connection. At two milliseconds each, ten
	 * connections answer about this many in 200 ms.
	 */
	public static final int MAX_WAITING = 1_000;

	private final CircuitBreaker circuit;

	private final CircuitBreaker ofShort;

	public StatusCircuit(CircuitBreakerRegistry circuits) {
		this.circuit = of(circuits, NAME);
		this.ofShort = of(circuits, SHORT_NAME);
	}

	/**
	 * The circuit breaker of a query.
	 * @param limit maximum time to wait for the answer
	 */
	public CircuitBreaker of(Duration limit) {
		return (limit.compareTo(SHORT) < 0) ? this.ofShort : this.circuit;
	}

	/**
	 * A circuit breaker. It opens after a few failures, because each costs its request
	 * the whole time limit. A query that was rejected before it was sent says nothing
	 * about PostgreSQL and does not count. A bug counts as an answer: an open circuit
	 * would hide it.
	 */
	private static CircuitBreaker of(CircuitBreakerRegistry circuits, String name) {
		return circuits.circuitBreaker(name,
				Circuits.config(Duration.ZERO)
					.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
					.permittedNumberOfCallsInHalfOpenState(2)
					.ignoreExceptions(RejectedExecutionException.class)
					.recordException(StatusUnavailableException::isCausedBy)
					.build());
	}

}
