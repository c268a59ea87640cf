package dev.sluice.gateway.async;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import dev.sluice.gateway.core.backend.BackendLimit;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.order.ValidOrder;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Like {@link dev.sluice.gateway.backend.BackendClient}, but holds no thread. */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
record AsyncBackendClient(BackendPolicy policy, AsyncBackendTransport transport) {

	/**
	 * Delivers an order. The backend saves an id once, however often it is delivered.
	 * Retries a failure at once if {@code backend.max-attempts} allows it.
	 * @return the result of the last attempt that reached the backend
	 */
	CompletionStage<BackendResult> deliver(ValidOrder order) {
		return attempt(BackendRequest.save(this.policy.properties(), order), this.policy.properties().maxAttempts());
	}

	private CompletionStage<BackendResult> attempt(BackendRequest request, int left) {
		return call(request, this.policy.properties().responseTimeout())
			.thenCompose((result) -> (result.mayBeRepeated() && left > 1)
					? attempt(request, left - 1).thenApply((next) -> next.after(result))
					: CompletableFuture.completedStage(result));
	}

	private CompletionStage<BackendResult> call(BackendRequest request, Duration limit) {
		BackendLimit.Call call = this.policy.limit().begin();
		if (call == null) {
			return CompletableFuture.completedStage(BackendResult.FULL);
		}
		return CircuitBreaker.decorateCompletionStage(this.policy.circuit(), () -> exchange(request, limit))
			.get()
			.thenApply(call::ended)
			.exceptionally(AsyncBackendClient::notPermitted)
			.whenComplete((_, _) -> call.close());
	}

	private CompletionStage<BackendResult> exchange(BackendRequest request, Duration limit) {
		return this.transport.sendAsync(request, limit)
			.handle((response, failure) -> (response != null) ? this.policy.received(request, response)
					: BackendPolicy.failed(request, cause(failure), limit));
	}

	private static BackendResult notPermitted(Throwable failure) {
		return switch (cause(failure)) {
			case CallNotPermittedException _ -> BackendResult.CIRCUIT_OPEN;
			case Throwable bug -> throw new CompletionException(bug);
		};
	}

	/** The failure itself, which a future may have wrapped. */
	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
