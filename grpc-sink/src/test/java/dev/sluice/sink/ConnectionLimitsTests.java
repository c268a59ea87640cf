package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.devservices.Patience;
import dev.sluice.sink.store.MessageStore;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.bean.override.convention.TestBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "sink.limits.max-calls-per-connection=2" })
class ConnectionLimitsTests {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	@TestBean(methodName = "dev.sluice.sink.MemoryStore#create")
	private MessageStore store;

	@Autowired
	private GrpcServerLifecycle grpc;

	@Autowired
	private MeterRegistry registry;

	@Test
	void letCallsBeyondTheLimitOfAConnectionWait() {
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort())
			.usePlaintext()
			.build();
		try {
			List<ClientStream> streams = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				streams.add(new ClientStream(channel, true));
			}
			await().until(() -> answered(streams).size() == 2);
			ClientStream first = answered(streams).getFirst();
			// A message stored on one stream came after all that the connection sent
			// before.
			first.send("a");
			await().until(() -> first.responses.size() == 2);
			assertThat(answered(streams)).hasSize(2);
			assertThat(streams()).isEqualTo(2);

			first.call.onCompleted();

			await().until(() -> answered(streams).size() == 3);
		}
		finally {
			channel.shutdownNow();
			await().until(() -> streams() == 0);
		}
	}

	/** A channel opens calls that waited for its connection in any order. */
	private static List<ClientStream> answered(List<ClientStream> streams) {
		return streams.stream().filter((stream) -> !stream.responses.isEmpty()).toList();
	}

	private double streams() {
		return this.registry.get(SinkMetric.STREAMS.key()).gauge().value();
	}

}
