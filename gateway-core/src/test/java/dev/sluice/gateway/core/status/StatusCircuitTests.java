package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

class StatusCircuitTests {

	private final CircuitBreaker circuit = new StatusCircuit(CircuitBreakerRegistry.ofDefaults())
		.of(Duration.ofSeconds(1));

	@Test
	void opensAfterAFewFailuresOfPostgres() {
		for (int i = 0; i < 4; i++) {
			fails(new QueryTimeoutException("no answer"));
		}
		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);

		fails(new QueryTimeoutException("no answer"));

		assertThat(this.circuit.getState()).isEqualTo(State.OPEN);
	}

	@Test
	void aQuestionThatPostgresNeverGotSaysNothing() {
		for (int i = 0; i < 20; i++) {
			fails(new RejectedExecutionException("too many wait"));
		}

		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);
	}

	/** An {@link Error} in a trial query is reported as nothing. */
	@Test
	void doesNotStayHalfOpenIfATrialHasNoResult() {
		CircuitBreakerConfig config = this.circuit.getCircuitBreakerConfig();

		assertThat(config.getMaxWaitDurationInHalfOpenState()).isPositive();
		assertThat(config.getTransitionToStateAfterWaitDuration()).isEqualTo(State.CLOSED);
	}

	private void fails(Exception failure) {
		this.circuit.onError(1, TimeUnit.SECONDS, failure);
	}

}
