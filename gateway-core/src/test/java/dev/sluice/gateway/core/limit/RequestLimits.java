package dev.sluice.gateway.core.limit;

import java.util.function.Consumer;

import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.threads.Supervisor;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Limits of requests for tests, with a backend that is never full. */
public final class RequestLimits {

	private RequestLimits() {
	}

	public static RequestLimit of(GatewayProperties properties, ConnectionProperties connections,
			SimpleMeterRegistry meters) {
		return of(properties, connections, () -> null, (_) -> {
		}, meters);
	}

	static RequestLimit of(GatewayProperties properties, ConnectionProperties connections, RequestLimit.Threads threads,
			Consumer<String> failed, SimpleMeterRegistry meters) {
		BackendProperties backend = new Binder(new MapConfigurationPropertySource()).bindOrCreate("backend",
				BackendProperties.class);
		return new RequestLimit(properties, connections,
				new BackendPolicy(backend, Integer.MAX_VALUE, CircuitBreakerRegistry.ofDefaults(), meters), threads,
				new Supervisor(failed), new OrderMetrics(meters), meters);
	}

}
