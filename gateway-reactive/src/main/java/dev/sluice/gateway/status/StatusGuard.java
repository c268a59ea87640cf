package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Asks PostgreSQL, which every request can do without: each time with a time limit, and
 * not at all while it fails, by a circuit breaker. Nothing else asks it. As many wait for
 * a connection as may; what is beyond fails at once. What was never asked says nothing of
 * PostgreSQL and does not open the circuit. For any number of threads.
 */
@Component
final class StatusGuard {

	/** Of its circuit breaker. */
	static final String NAME = "status";

	/** At two milliseconds each, about as many as get their turn in 200 ms. */
	private static final int WAITING = 1_000;

	private final AtomicInteger asking = new AtomicInteger();

	private final CircuitBreaker circuit;

	/**
	 * A question with as many before it may have spent its time on waiting for a
	 * connection.
	 */
	private final int connections;

	@Autowired
	StatusGuard(CircuitBreakerRegistry circuits, R2dbcProperties r2dbc) {
		this(circuits, r2dbc.getPool().getMaxSize());
	}

	StatusGuard(CircuitBreakerRegistry circuits, int connections) {
		this.connections = connections;
		this.circuit = circuits.circuitBreaker(NAME, circuitConfig());
	}

	/**
	 * Opens after a few: each costs its request the whole time limit, and nothing is lost
	 * without an answer.
	 */
	private static CircuitBreakerConfig circuitConfig() {
		return CircuitBreakerConfig.custom()
			.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
			.permittedNumberOfCallsInHalfOpenState(2)
			.waitDurationInOpenState(Duration.ofSeconds(1))
			.ignoreExceptions(RejectedExecutionException.class)
			.writableStackTraceEnabled(false)
			.build();
	}

	/**
	 * Asks.
	 * @param <T> the answer
	 * @param limit how long it may take
	 * @param question what gives the answer
	 * @return the answer; fails if there is none in time
	 */
	<T> Mono<T> ask(Duration limit, Mono<T> question) {
		return Mono
			.using(this.asking::getAndIncrement, (before) -> asked(limit, question, before),
					(_) -> this.asking.decrementAndGet())
			.transformDeferred(CircuitBreakerOperator.of(this.circuit));
	}

	private <T> Mono<T> asked(Duration limit, Mono<T> question, int before) {
		if (before >= this.connections + WAITING) {
			return Mono.error(new RejectedExecutionException("As many questions as allowed wait"));
		}
		return question.timeout(limit)
			.onErrorMap((failure) -> failure instanceof TimeoutException && before >= this.connections,
					(_) -> new RejectedExecutionException("Not asked in time"));
	}

}
