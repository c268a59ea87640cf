package dev.sluice.gateway.core.backend;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;
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

	private final BackendRequest request = BackendRequest.find(this.properties, ID);

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
	void tellsALateAnswerFromALostConnection() {
		assertThat(BackendPolicy.failed(this.request, new TimeoutException(), LIMIT))
			.isEqualTo(new BackendResult.TimedOut(LIMIT));
		assertThat(BackendPolicy.failed(this.request, new IOException("reset"), LIMIT))
			.isEqualTo(new BackendResult.Unreachable());
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

	@Test
	void asksTheBackendToSaveAnOrderOnce() {
		byte[] json = "{}".getBytes(StandardCharsets.UTF_8);

		BackendRequest save = BackendRequest.save(this.properties,
				new ValidOrder(ID, new Order("c-1", null, null), json, null, "00-trace"));

		assertThat(save.method()).isEqualTo("POST");
		assertThat(save.uri()).hasToString("http://backend:8090/orders");
		assertThat(save.headers())
			.isEqualTo(Map.of(HttpNames.IDEMPOTENCY_KEY, "\"" + ID + "\"", OrderHeaders.TRACEPARENT, "00-trace"));
		assertThat(save.json()).isSameAs(json);
	}

	@Test
	void asksTheBackendForAnOrder() {
		assertThat(this.request.method()).isEqualTo("GET");
		assertThat(this.request.uri()).hasToString("http://backend:8090/orders/" + ID);
		assertThat(this.request.headers()).isEmpty();
		assertThat(this.request.json()).isEmpty();
	}

	private void record(BackendResult result) {
		this.policy.circuit().onResult(1, TimeUnit.MILLISECONDS, result);
	}

}
