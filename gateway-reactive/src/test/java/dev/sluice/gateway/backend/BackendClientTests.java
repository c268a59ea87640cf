package dev.sluice.gateway.backend;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.gateway.core.backend.BackendClientContract;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;

class BackendClientTests extends BackendClientContract {

	@Override
	protected Calls connect(BackendProperties properties, BackendPolicy policy) {
		BackendTransport transport = new BackendTransport(properties);
		BackendClient client = new BackendClient(policy, transport);
		return new Calls() {

			@Override
			public BackendResult deliver(ValidOrder order) {
				return client.deliver(order).block();
			}

			@Override
			public BackendResult find(UUID id, Duration limit) {
				return client.find(id, limit).block();
			}

			@Override
			public void close() {
				transport.destroy();
			}

		};
	}

}
