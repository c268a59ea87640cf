package dev.sluice.gateway.core.backend;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.config.BackendProperties;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class BackendPolicyTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final Duration LIMIT = Duration.ofMillis(200);

	/** Two calls at once. */
	private final BackendProperties properties = new BackendProperties(URI.create("http://backend:8090"),
			Duration.ofSeconds(1), LIMIT, 2, 1, Duration.ofSeconds(60));

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final BackendPolicy policy = new BackendPolicy(this.properties, Integer.MAX_VALUE,
			CircuitBreakerRegistry.ofDefaults(), this.meters);

	@Test
	void theCircuitClosesThoughItsTrialCallsHadNoResult() {
		CircuitBreakerConfig config = this.policy.circuit().getCircuitBreakerConfig();
		assertThat(config.getMaxWaitDurationInHalfOpenState()).as("longer than a call").isGreaterThan(LIMIT);
		CircuitBreaker circuit = CircuitBreaker.of("soon",
				CircuitBreakerConfig.from(config).maxWaitDurationInHalfOpenState(Duration.ofMillis(500)).build());
		circuit.transitionToOpenState();
		circuit.transitionToHalfOpenState();

		for (int i = 0; i < config.getPermittedNumberOfCallsInHalfOpenState(); i++) {
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> circuit.executeSupplier(() -> {
				throw new StackOverflowError();
			}));
		}

		await().until(circuit::tryAcquirePermission);
		assertThat(circuit.getState()).isEqualTo(State.CLOSED);
	}

	@Test
	void opensTheCircuitForFailuresOfTheBackendOnly() {
		for (int i = 0; i < 20; i++) {
			record(new BackendResult.Rejected(400));
			record(new BackendResult.Busy(429, null));
			record(new BackendResult.Saved(new SavedOrder(ID, TIME)));
		}
		assertThat(this.policy.circuit().getState()).isEqualTo(State.CLOSED);

		for (int i = 0; i < 60; i++) {
			record(new BackendResult.Unreachable());
		}

		assertThat(this.policy.circuit().getState()).isEqualTo(State.OPEN);
	}

	@Test
	void hasAsManyCallsAtOnceAsConnections() {
		assertThat(this.policy.limit().begin()).isNotNull();
		assertThat(this.policy.limit().begin()).isNotNull();
		assertThat(this.policy.limit().begin()).isNull();
		assertThat(this.meters.get("sluice.backend.calls").gauge().value()).isEqualTo(2);
		assertThat(this.meters.get("sluice.backend.calls.limit").gauge().value()).isEqualTo(2);
		assertThat(this.policy.properties()).isSameAs(this.properties);
	}

	private void record(BackendResult result) {
		this.policy.circuit().onResult(1, TimeUnit.MILLISECONDS, result);
	}

}
