package dev.sluice.gateway.async;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.backend.BackendClientTests;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Look-ups block; deliveries do not. */
class AsyncBackendClientTests extends BackendClientTests {

	@Override
	protected Calls connect(BackendProperties properties, BackendPolicy policy) {
		AsyncBackendTransport transport = new AsyncBackendTransport(properties, new SimpleMeterRegistry());
		AsyncDispatch client = new AsyncDispatch(policy, transport, null, null);
		BackendClient lookups = new BackendClient(policy, transport);
		return new Calls() {

			@Override
			public BackendResult deliver(ValidOrder order) {
				return client.deliver(order).toCompletableFuture().join();
			}

			@Override
			public BackendResult find(UUID id, Duration limit) {
				return lookups.find(id, limit);
			}

			@Override
			public void close() {
				transport.close();
			}

		};
	}

}
