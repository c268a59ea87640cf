package dev.sluice.gateway;

import java.time.Duration;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Asks PostgreSQL for what can be done without: each time with a time limit, and not at
 * all while it fails, by a circuit breaker. For any number of threads.
 */
@Component
final class StatusGuard {

	/** Of its circuit breaker. */
	static final String NAME = "status";

	private final CircuitBreaker circuit;

	StatusGuard(CircuitBreakerRegistry circuits) {
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
		return question.timeout(limit).transformDeferred(CircuitBreakerOperator.of(this.circuit));
	}

}
