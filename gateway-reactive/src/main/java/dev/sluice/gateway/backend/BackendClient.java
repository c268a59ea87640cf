package dev.sluice.gateway.backend;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.gateway.core.backend.BackendLimit;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.order.ValidOrder;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Calls the backend, within the limits of {@link BackendPolicy} and a time limit for the
 * whole exchange.
 */
@Component
public record BackendClient(BackendPolicy policy, BackendTransport transport) {

	/**
	 * Delivers an order. The backend saves an id once, however often it is delivered.
	 * Retries a failure at once if {@code backend.max-attempts} allows it.
	 * @return the result of the last attempt that reached the backend
	 */
	public Mono<BackendResult> deliver(ValidOrder order) {
		return attempt(BackendRequest.save(this.policy.properties(), order), this.policy.properties().maxAttempts());
	}

	private Mono<BackendResult> attempt(BackendRequest request, int left) {
		return call(request, this.policy.properties().responseTimeout())
			.flatMap((result) -> (result.mayBeRepeated() && left > 1)
					? attempt(request, left - 1).map((next) -> next.after(result)) : Mono.just(result));
	}

	/**
	 * Asks for an order.
	 * @param id the order's id
	 * @param limit maximum time of the call
	 * @return {@link BackendResult.Saved} if the backend has it,
	 * {@link BackendResult.NotFound} if it does not
	 */
	public Mono<BackendResult> find(UUID id, Duration limit) {
		return call(BackendRequest.find(this.policy.properties(), id), limit);
	}

	private Mono<BackendResult> call(BackendRequest request, Duration limit) {
		return Mono.defer(() -> {
			BackendLimit.Call call = this.policy.limit().begin();
			return (call == null) ? Mono.just(BackendResult.FULL)
					: Mono.using(() -> call, (_) -> exchange(request, limit).map(call::ended));
		});
	}

	private Mono<BackendResult> exchange(BackendRequest request, Duration limit) {
		return this.transport.send(request, limit)
			.materialize()
			.map((exchange) -> (exchange.get() instanceof BackendResponse response)
					? this.policy.received(request, response)
					: BackendPolicy.failed(request, Objects.requireNonNull(exchange.getThrowable()), limit))
			.transformDeferred(CircuitBreakerOperator.of(this.policy.circuit()))
			.onErrorResume(CallNotPermittedException.class, (_) -> Mono.just(BackendResult.CIRCUIT_OPEN));
	}

}
