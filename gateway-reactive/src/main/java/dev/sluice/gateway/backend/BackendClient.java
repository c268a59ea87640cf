package dev.sluice.gateway.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.BackendProperties;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.reactor.bulkhead.operator.BulkheadOperator;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The backend as the gateway sees it. Everything asked of it goes through one bulkhead,
 * as wide as the connection pool and without waiting, one circuit breaker, and a time
 * limit over the whole exchange. Nothing is tried twice unless the properties say so. For
 * any number of threads.
 */
@Component
public final class BackendClient {

	private static final Logger logger = LoggerFactory.getLogger(BackendClient.class);

	private final BackendProperties properties;

	private final BackendTransport exchange;

	private final Bulkhead bulkhead;

	private final CircuitBreaker circuit;

	private final JsonMapper mapper;

	public BackendClient(BackendProperties properties, BackendTransport exchange, BulkheadRegistry bulkheads,
			CircuitBreakerRegistry circuits, JsonMapper mapper) {
		this.properties = properties;
		this.exchange = exchange;
		this.bulkhead = bulkheads.bulkhead("backend",
				BulkheadConfig.custom()
					.maxConcurrentCalls(properties.maxConcurrent())
					.maxWaitDuration(Duration.ZERO)
					.writableStackTraceEnabled(false)
					.build());
		this.circuit = circuits.circuitBreaker("backend",
				properties.circuit()
					.toConfig()
					.recordResult((result) -> result instanceof BackendResult delivery && delivery.isFailure())
					.build());
		this.mapper = mapper;
	}

	/**
	 * Has an order saved, once per id however often it is asked.
	 * @param id the order's id
	 * @param order the order's canonical bytes
	 * @param traceparent the client's trace context, or null
	 * @return what it came to; does not fail but by a bug
	 */
	public Mono<BackendResult> deliver(UUID id, byte[] order, @Nullable String traceparent) {
		return attempt(BackendRequest.save(this.properties, id, order, traceparent), this.properties.maxAttempts());
	}

	private Mono<BackendResult> attempt(BackendRequest request, int left) {
		return ask(request, this.properties.responseTimeout())
			.flatMap((delivery) -> (delivery.mayBeRepeated() && left > 1)
					? attempt(request, left - 1).map((next) -> next.wasAsked() ? next : delivery)
					: Mono.just(delivery));
	}

	/**
	 * Asks for an order.
	 * @param id the order's id
	 * @param limit how long it may take
	 * @return {@link BackendResult.Saved} if the backend has it,
	 * {@link BackendResult.Refused} with status 404 if it does not
	 */
	public Mono<BackendResult> find(UUID id, Duration limit) {
		return ask(BackendRequest.find(this.properties, id), limit);
	}

	private Mono<BackendResult> ask(BackendRequest request, Duration limit) {
		return this.exchange.send(request, limit)
			.map(this::understood)
			.onErrorResume((failure) -> Mono.just(failed(request, failure, limit)))
			.transformDeferred(CircuitBreakerOperator.of(this.circuit))
			.transformDeferred(BulkheadOperator.of(this.bulkhead))
			.onErrorResume(BulkheadFullException.class, (_) -> Mono.just(new BackendResult.Full()))
			.onErrorResume(CallNotPermittedException.class,
					(_) -> Mono.just(new BackendResult.CircuitOpen(this.properties.circuit().openFor())));
	}

	private BackendResult understood(BackendResponse answer) {
		if (answer.status() != 200 && answer.status() != 201) {
			return BackendResult.notSaved(answer, Instant.now());
		}
		try {
			return BackendResult.saved(this.mapper.readValue(answer.body(), SavedOrder.class));
		}
		catch (JacksonException ex) {
			logger.warn("The backend's answer with status {} cannot be read: {}", answer.status(),
					ex.getOriginalMessage());
			return new BackendResult.Unreadable();
		}
	}

	private static BackendResult failed(BackendRequest request, Throwable failure, Duration limit) {
		if (failure instanceof TimeoutException) {
			return new BackendResult.TimedOut(limit);
		}
		logger.debug("{} {} failed", request.method(), request.uri(), failure);
		return new BackendResult.Unreachable();
	}

}
