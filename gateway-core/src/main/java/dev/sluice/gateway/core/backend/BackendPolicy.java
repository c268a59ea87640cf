package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.config.BackendProperties;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The limits of calls to the backend, and what a response or a failure means. Every call
 * goes through one bulkhead, as wide as the connection pool and without waiting, and one
 * circuit breaker.
 */
@Component
@ThreadSafe
public final class BackendPolicy {

	private static final String NAME = "backend";

	private static final Logger logger = LoggerFactory.getLogger(BackendPolicy.class);

	private final BackendProperties properties;

	private final Bulkhead bulkhead;

	private final CircuitBreaker circuit;

	private final JsonMapper mapper;

	public BackendPolicy(BackendProperties properties, BulkheadRegistry bulkheads, CircuitBreakerRegistry circuits,
			JsonMapper mapper) {
		this.properties = properties;
		this.bulkhead = bulkheads.bulkhead(NAME,
				BulkheadConfig.custom()
					.maxConcurrentCalls(properties.maxConcurrent())
					.maxWaitDuration(Duration.ZERO)
					.writableStackTraceEnabled(false)
					.build());
		this.circuit = circuits.circuitBreaker(NAME,
				properties.circuit()
					.toConfig()
					.recordResult((result) -> result instanceof BackendResult known && known.isFailure())
					.build());
		this.mapper = mapper;
	}

	public BackendProperties properties() {
		return this.properties;
	}

	public Bulkhead bulkhead() {
		return this.bulkhead;
	}

	public CircuitBreaker circuit() {
		return this.circuit;
	}

	/** What a response means. */
	public BackendResult received(BackendResponse response) {
		if (response.status() != 200 && response.status() != 201) {
			return BackendResult.notSaved(response, Instant.now());
		}
		try {
			return BackendResult.saved(this.mapper.readValue(response.body(), SavedOrder.class));
		}
		catch (JacksonException ex) {
			logger.warn("The backend's response with status {} cannot be read: {}", response.status(),
					ex.getOriginalMessage());
			return new BackendResult.Unreadable();
		}
	}

	/**
	 * What it means that there was no response.
	 * @param request the request
	 * @param failure why; {@link TimeoutException} at the time limit
	 * @param limit the time limit of the call
	 */
	public static BackendResult failed(BackendRequest request, Throwable failure, Duration limit) {
		if (failure instanceof TimeoutException) {
			return new BackendResult.TimedOut(limit);
		}
		logger.debug("{} {} failed", request.method(), request.uri(), failure);
		return new BackendResult.Unreachable();
	}

	/** What it means that the circuit breaker does not permit a call. */
	public BackendResult notPermitted() {
		return new BackendResult.CircuitOpen(this.properties.circuit().openFor());
	}

}
