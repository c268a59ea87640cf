package dev.sluice.gateway.backend;

import java.net.URI;
import java.time.Duration;

import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.config.BackendProperties;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** A client of a backend, for tests of classes that use one. */
public final class TestBackend implements AutoCloseable {

	private final BackendTransport transport;

	private final BackendClient client;

	public TestBackend(URI uri) {
		BackendProperties properties = new BackendProperties(uri, Duration.ofSeconds(1), Duration.ofSeconds(10), 10, 1,
				Duration.ofSeconds(60));
		this.transport = new BlockingBackendTransport(properties, new SimpleMeterRegistry());
		this.client = new BackendClient(new BackendPolicy(properties, Integer.MAX_VALUE,
				CircuitBreakerRegistry.ofDefaults(), new SimpleMeterRegistry()), this.transport);
	}

	public BackendClient client() {
		return this.client;
	}

	@Override
	public void close() {
		this.transport.close();
	}

}
