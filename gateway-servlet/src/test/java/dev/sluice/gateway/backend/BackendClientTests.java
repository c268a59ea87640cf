package dev.sluice.gateway.backend;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.contract.FakeBackend.Reply;
import dev.sluice.gateway.core.backend.BackendClientContract;
import dev.sluice.gateway.core.backend.BackendPolicy;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

public class BackendClientTests extends BackendClientContract {

	/** On a busy machine this limit may fire before that of the exchange. */
	@Test
	void takesAReadThatTimesOutForATimeout() {
		server().reply(Reply.never());

		assertThat(find(backend(10, LIMIT), PATIENCE)).isEqualTo(new BackendResult.TimedOut(PATIENCE));
	}

	@Override
	protected Calls connect(BackendProperties properties, BackendPolicy policy) {
		BackendTransport transport = new BlockingBackendTransport(properties, new SimpleMeterRegistry());
		BackendClient client = new BackendClient(policy, transport);
		return new Calls() {

			@Override
			public BackendResult deliver(ValidOrder order) {
				return client.deliver(order);
			}

			@Override
			public BackendResult find(UUID id, Duration limit) {
				return client.find(id, limit);
			}

			@Override
			public void close() {
				transport.close();
			}

		};
	}

}
