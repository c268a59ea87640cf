package dev.sluice.sink;

import dev.sluice.sink.store.MessageStore;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.bean.override.convention.TestBean;

import static org.awaitility.Awaitility.await;

/**
 * Has a server of its own, whose short limits would end connections and streams of other
 * tests.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "spring.grpc.server.keepalive.time=1s",
				"spring.grpc.server.keepalive.timeout=1s", "spring.grpc.server.keepalive.connection.max-age=1s" })
@Execution(ExecutionMode.CONCURRENT)
class ConnectionEndIT {

	@TestBean(methodName = "dev.sluice.sink.MemoryStore#create")
	private MessageStore store;

	@Autowired
	private GrpcServerLifecycle grpc;

	@Autowired
	private MeterRegistry registry;

	@Test
	void endsAConnectionAfterItsAge() throws Exception {
		try (RawClient client = new RawClient(this.grpc.getPort(), 65_535)) {
			await().until(() -> !client.isConnected());
		}
	}

	/** gRPC does not look for a client more often than every 10 s. */
	@Test
	void endsTheStreamsOfAClientThatHasVanished() throws Exception {
		try (RawClient client = new RawClient(this.grpc.getPort(), 65_535)) {
			client.call("Send");
			await().until(() -> streams() == 1);

			client.vanish();

			await().until(() -> streams() == 0);
		}
	}

	private double streams() {
		return this.registry.get(SinkMetric.STREAMS.key()).gauge().value();
	}

}
