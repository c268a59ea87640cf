package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.Circuits;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits calls to the backend and interprets responses and failures. Every call goes
 * through one limit, not above the size of the connection pool, and one circuit breaker.
 */
public record BackendPolicy(BackendProperties properties, BackendLimit limit, CircuitBreaker circuit) {

	private static final String NAME = "backend";

	private static final Logger logger = LoggerFactory.getLogger(BackendPolicy.class);

	/**
	 * @param maxThreads maximum number of threads that calls may hold
	 */
	public BackendPolicy(BackendProperties properties, int maxThreads, CircuitBreakerRegistry circuits,
			MeterRegistry meters) {
		this(properties,
				new BackendLimit(Math.min(properties.maxConcurrent(), maxThreads), properties.responseTimeout(),
						System::nanoTime),
				circuits.circuitBreaker(NAME,
						Circuits.config(properties.responseTimeout())
							.recordResult((result) -> result instanceof BackendResult known && known.isFailure())
							.build()));
		GatewayMetric.BACKEND_CALLS.gauge(meters, this.limit, BackendLimit::inFlight);
		GatewayMetric.BACKEND_LIMIT.gauge(meters, this.limit, BackendLimit::current);
	}

	/** Interprets the response to a request. */
	public BackendResult received(BackendRequest request, BackendResponse response) {
		Instant now = Instant.now();
		int status = response.status();
		if (status == 429 || status == 503) {
			return new BackendResult.Busy(status, BackendAnswer.retryAfter(response.retryAfter(), now));
		}
		if (status == 404 && request.method().equals("GET")) {
			return new BackendResult.NotFound();
		}
		BackendResult result = switch (BackendAnswer.of(status, response.body(), request.id(), now)) {
			case BackendAnswer.Saved(Instant at) ->
				new BackendResult.Saved(new SavedOrder(request.id(), (at != null) ? at : now));
			case BackendAnswer.Conflict _ -> new BackendResult.Conflict();
			case BackendAnswer.Rejected _ -> new BackendResult.Rejected(status);
			case BackendAnswer.Failed _ when status == 200 || status == 201 -> {
				logger.warn("The backend's response to {} {} has status {} and is not JSON with the order's id",
						request.method(), request.uri(), status);
				yield new BackendResult.Refused(status);
			}
			case BackendAnswer.Failed _ -> new BackendResult.Refused(status);
		};
		return response.again() ? result.after(new BackendResult.Unreachable()) : result;
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

}
