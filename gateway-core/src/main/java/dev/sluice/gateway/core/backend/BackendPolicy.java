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
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Limits calls to the backend and interprets responses and failures. Every call goes
 * through one bulkhead, as wide as the connection pool and without a queue, and one
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

	/** Inspects the type now: the first responses would wait for that. */
	private final ObjectReader savedOrder;

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
					.toConfig(properties.responseTimeout())
					.recordResult((result) -> result instanceof BackendResult known && known.isFailure())
					.build());
		this.savedOrder = mapper.readerFor(SavedOrder.class);
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

	/** Interprets a response. */
	public BackendResult received(BackendResponse response) {
		if (response.status() != 200 && response.status() != 201) {
			return BackendResult.notSaved(response, Instant.now());
		}
		try {
			return BackendResult.saved(this.savedOrder.readValue(response.body()));
		}
		catch (JacksonException ex) {
			logger.warn("The backend's response with status {} cannot be read: {}", response.status(),
					ex.getOriginalMessage());
			return new BackendResult.Unreadable();
		}
	}

	/**
	 * Interprets the failure of a call that got no response.
	 * @param request the request
	 * @param failure the cause; a {@link TimeoutException} at the time limit
	 * @param limit the time limit of the call
	 */
	public static BackendResult failed(BackendRequest request, Throwable failure, Duration limit) {
		if (failure instanceof TimeoutException) {
			return new BackendResult.TimedOut(limit);
		}
		logger.debug("{} {} failed", request.method(), request.uri(), failure);
		return new BackendResult.Unreachable();
	}

	/** The result of a call that the circuit breaker rejects. */
	public BackendResult notPermitted() {
		return new BackendResult.CircuitOpen(this.properties.circuit().openFor());
	}

}
