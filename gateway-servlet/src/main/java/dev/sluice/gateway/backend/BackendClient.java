package dev.sluice.gateway.backend;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import dev.sluice.gateway.core.backend.BackendLimit;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.order.ValidOrder;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import org.springframework.stereotype.Component;

/**
 * Calls the backend, within the limits of {@link BackendPolicy} and a time limit for the
 * whole exchange. Holds the calling thread.
 */
@Component
public record BackendClient(BackendPolicy policy, BackendTransport transport) {

	/**
	 * Delivers an order. The backend saves an id once, however often it is delivered.
	 * Retries a failure at once if {@code backend.max-attempts} allows it.
	 * @return the result of the last attempt that reached the backend
	 */
	public BackendResult deliver(ValidOrder order) {
		BackendRequest request = BackendRequest.save(this.policy.properties(), order);
		Duration limit = this.policy.properties().responseTimeout();
		BackendResult result = call(request, limit);
		for (int attempt = 2; result.mayBeRepeated() && attempt <= this.policy.properties().maxAttempts(); attempt++) {
			result = call(request, limit).after(result);
		}
		return result;
	}

	/**
	 * Asks for an order.
	 * @param id the order's id
	 * @param limit maximum time of the call
	 * @return {@link BackendResult.Saved} if the backend has it,
	 * {@link BackendResult.NotFound} if it does not
	 */
	public BackendResult find(UUID id, Duration limit) {
		return call(BackendRequest.find(this.policy.properties(), id), limit);
	}

	private BackendResult call(BackendRequest request, Duration limit) {
		BackendLimit.Call call = this.policy.limit().begin();
		if (call == null) {
			return BackendResult.FULL;
		}
		try (call) {
			return call.ended(this.policy.circuit().executeSupplier(() -> exchange(request, limit)));
		}
		catch (CallNotPermittedException ex) {
			return BackendResult.CIRCUIT_OPEN;
		}
	}

	private BackendResult exchange(BackendRequest request, Duration limit) {
		try {
			return this.policy.received(request, this.transport.send(request, limit));
		}
		catch (IOException | TimeoutException ex) {
			return BackendPolicy.failed(request, ex, limit);
		}
	}

}
