package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.store.MessageStore;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
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
			List<Stream> streams = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				streams.add(new Stream(channel));
			}
			await().until(() -> answered(streams).size() == 2);
			Stream first = answered(streams).getFirst();
			// A message stored on one stream came after all that the connection sent
			// before.
			first.requests.onNext(Request.newBuilder()
				.setVersion(1)
				.setMessageId(ByteString.copyFromUtf8("a"))
				.setPlainMessage(ByteString.copyFromUtf8("payload"))
				.build());
			await().until(() -> first.responses.size() == 2);
			assertThat(answered(streams)).hasSize(2);
			assertThat(streams()).isEqualTo(2);

			first.requests.onCompleted();

			await().until(() -> answered(streams).size() == 3);
		}
		finally {
			channel.shutdownNow();
			await().until(() -> streams() == 0);
		}
	}

	/** A channel opens calls that waited for its connection in any order. */
	private static List<Stream> answered(List<Stream> streams) {
		return streams.stream().filter((stream) -> !stream.responses.isEmpty()).toList();
	}

	private double streams() {
		return this.registry.get(SinkMetric.STREAMS.key()).gauge().value();
	}

	private static final class Stream implements StreamObserver<Response> {

		private final List<Response> responses = new CopyOnWriteArrayList<>();

		private final StreamObserver<Request> requests;

		Stream(ManagedChannel channel) {
			this.requests = DataSinkGrpc.newStub(channel).send(this);
		}

		@Override
		public void onNext(Response response) {
			this.responses.add(response);
		}

		@Override
		public void onError(Throwable cause) {
		}

		@Override
		public void onCompleted() {
		}

	}

}
