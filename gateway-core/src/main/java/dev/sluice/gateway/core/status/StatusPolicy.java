package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.Circuits;
import dev.sluice.gateway.core.problem.ProblemException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.UncategorizedDataAccessException;

/**
 * Limits queries to PostgreSQL and interprets their failures. A query with a short time
 * limit, as the look-up of a queued order's key, has a circuit breaker of its own: what
 * PostgreSQL did not answer in an eighth of a second is no reason to refuse a sync order,
 * which waits for two. Thread-safe.
 */
public final class StatusPolicy {

	/** Name of the circuit breaker. */
	static final String NAME = "status";

	/** Name of the circuit breaker of short time limits. */
	static final String SHORT_NAME = "status-short";

	/**
	 * Maximum number of queries that wait for a connection. At two milliseconds each, ten
	 * connections answer about this many in 200 ms.
	 */
	public static final int MAX_WAITING = 1_000;

	private static final Logger logger = LoggerFactory.getLogger(StatusPolicy.class);

	private static final Duration SHORT = Duration.ofMillis(500);

	private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

	private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

	private final CircuitBreaker circuit;

	private final CircuitBreaker ofShort;

	public StatusPolicy(CircuitBreakerRegistry circuits) {
		this.circuit = circuit(circuits, NAME);
		this.ofShort = circuit(circuits, SHORT_NAME);
	}

	/**
	 * A circuit breaker. It opens after a few failures, because each costs its request
	 * the whole time limit. A query that was rejected before it was sent says nothing
	 * about PostgreSQL and does not count. A bug counts as an answer: an open circuit
	 * would hide it.
	 */
	private static CircuitBreaker circuit(CircuitBreakerRegistry circuits, String name) {
		return circuits.circuitBreaker(name,
				Circuits.config(Duration.ZERO)
					.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
					.permittedNumberOfCallsInHalfOpenState(2)
					.ignoreExceptions(RejectedExecutionException.class)
					.recordException(StatusPolicy::isOutage)
					.build());
	}

	/**
	 * The circuit breaker of a query.
	 * @param limit maximum time to wait for the answer
	 */
	public CircuitBreaker circuit(Duration limit) {
		return (limit.compareTo(SHORT) < 0) ? this.ofShort : this.circuit;
	}

	/** Whether a failed query shows that PostgreSQL is not available. */
	public static boolean isOutage(Throwable failure) {
		return switch (failure) {
			case CallNotPermittedException _, RejectedExecutionException _, TimeoutException _,
					CancellationException _ ->
				true;
			// Uncategorized: such as a lock timeout, which R2DBC takes for a resource's.
			case TransientDataAccessException _, NonTransientDataAccessResourceException _,
					RecoverableDataAccessException _, UncategorizedDataAccessException _,
					PermissionDeniedDataAccessException _ ->
				true;
			default -> false;
		};
	}

	/**
	 * Logs the root cause of an outage, at most once a minute, unless PostgreSQL was not
	 * asked: answers do not say it, and health stays up.
	 * @return the problem for the caller
	 */
	public ProblemException outage(Throwable failure) {
		boolean asked = !(failure instanceof CallNotPermittedException || failure instanceof RejectedExecutionException
				|| failure instanceof CancellationException);
		long now = System.nanoTime();
		long next = this.nextLogNanos.get();
		if (asked && now - next >= 0 && this.nextLogNanos.compareAndSet(next, now + QUIET_NANOS)) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
			logger.warn("Statuses and keys cannot be read from PostgreSQL; queued orders go on without it: {}",
					cause.toString().replaceAll("\\s+", " "));
		}
		return new ProblemException(ProblemType.STATUS_UNAVAILABLE, "The status store does not answer.", Placed.NO);
	}

}
