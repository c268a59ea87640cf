package dev.sluice.gateway.async;

import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.backend.BackendClientTests;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.config.BackendProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** The same behaviour, without a thread of the caller's. A look-up waits. */
class AsyncBackendClientTests extends BackendClientTests {

	@Override
	protected Calls connect(BackendProperties properties, BackendPolicy policy) {
		AsyncBackendTransport transport = new AsyncBackendTransport(properties, new SimpleMeterRegistry());
		AsyncBackendClient client = new AsyncBackendClient(policy, transport);
		return new Calls(transport, (order) -> client.deliver(order).toCompletableFuture().join(),
				new BackendClient(policy, transport)::find);
	}

}
