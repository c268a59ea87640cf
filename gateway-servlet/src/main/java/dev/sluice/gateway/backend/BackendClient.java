package dev.sluice.gateway.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
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
	public CompletionStage<BackendResult> deliver(UUID id, byte[] order, @Nullable String traceparent) {
		return attempt(BackendRequest.save(this.properties, id, order, traceparent), this.properties.maxAttempts());
	}

	private CompletionStage<BackendResult> attempt(BackendRequest request, int left) {
		return ask(request, this.properties.responseTimeout())
			.thenCompose((delivery) -> (delivery.mayBeRepeated() && left > 1)
					? attempt(request, left - 1).thenApply((next) -> next.wasAsked() ? next : delivery)
					: CompletableFuture.completedStage(delivery));
	}

	/**
	 * Asks for an order.
	 * @param id the order's id
	 * @param limit how long it may take
	 * @return {@link BackendResult.Saved} if the backend has it,
	 * {@link BackendResult.Refused} with status 404 if it does not
	 */
	public CompletionStage<BackendResult> find(UUID id, Duration limit) {
		return ask(BackendRequest.find(this.properties, id), limit);
	}

	private CompletionStage<BackendResult> ask(BackendRequest request, Duration limit) {
		Supplier<CompletionStage<BackendResult>> asked = () -> this.exchange.send(request, limit)
			.handle((answer, failure) -> (answer != null) ? understood(answer) : failed(request, failure, limit));
		return Bulkhead
			.decorateCompletionStage(this.bulkhead, CircuitBreaker.decorateCompletionStage(this.circuit, asked))
			.get()
			.exceptionally(this::refusedHere);
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
		Throwable cause = unwrapped(failure);
		if (cause instanceof TimeoutException) {
			return new BackendResult.TimedOut(limit);
		}
		logger.debug("{} {} failed", request.method(), request.uri(), cause);
		return new BackendResult.Unreachable();
	}

	private BackendResult refusedHere(Throwable failure) {
		return switch (unwrapped(failure)) {
			case BulkheadFullException _ -> new BackendResult.Full();
			case CallNotPermittedException _ -> new BackendResult.CircuitOpen(this.properties.circuit().openFor());
			case Throwable bug -> throw new CompletionException(bug);
		};
	}

	private static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
