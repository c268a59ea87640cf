package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.store.MessageStore;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.bean.override.convention.TestBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that break every rule, over a real connection. The clock of the sink's limits
 * stands still unless a test moves it.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.grpc.server.port=0", "sink.limits.memory=" + HostileClientTests.MEMORY + "B",
				"sink.limits.max-streams-per-client=60",
				// The tests' clock makes leaps.
				"sink.stream.max-age=0" })
@ExtendWith(OutputCaptureExtension.class)
class HostileClientTests {

	static final int MEMORY = 8_000_000;

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	private static final int MAX_MESSAGE = 1024 * 1024;

	private static final int INVALID_ARGUMENT = Status.Code.INVALID_ARGUMENT.value();

	private static final int RESOURCE_EXHAUSTED = Status.Code.RESOURCE_EXHAUSTED.value();

	private static final int DEADLINE_EXCEEDED = Status.Code.DEADLINE_EXCEEDED.value();

	private static final int RESET = -1;

	/** More than {@code sink.stream.stall-timeout}. */
	private static final Duration TOO_LONG = Duration.ofSeconds(31);

	/** The interval between two lines on calls that were ended. */
	private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

	private static final AtomicLong clock = new AtomicLong();

	@TestBean
	private LongSupplier nanoTime;

	@TestBean(methodName = "dev.sluice.sink.MemoryStore#create")
	private MessageStore store;

	@Autowired
	private GrpcServerLifecycle grpc;

	@Autowired
	private MeterRegistry registry;

	static LongSupplier nanoTime() {
		return clock::get;
	}

	@AfterEach
	void holdsNothingAndStoresForOthers() throws Exception {
		await().untilAsserted(() -> {
			assertThat(memory()).isZero();
			assertThat(this.registry.get(SinkMetric.STREAMS.key()).gauge().value()).isZero();
		});
		try (SinkClient client = SinkClient.open(
				ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort()).usePlaintext(),
				SinkClientOptions.inMemory(), DeliveryListener.NONE)) {
			client.send(new byte[MAX_MESSAGE]);

			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}
	}

	@Test
	void hearThatTheirMessageIsTooLargeAlsoAfterAResponse() throws Exception {
		for (String method : List.of("Send", "Store")) {
			try (RawClient client = client()) {
				RawClient.Call call = client.call(method);
				call.header(2_000_000_000);
				for (int i = 0; i < 20; i++) {
					call.write(new byte[100_000]);
				}

				assertThat(call.status()).as(method).isEqualTo(RESOURCE_EXHAUSTED);
			}
		}
	}

	/** Some kilobytes that gRPC itself decompresses. */
	@Test
	void hearThatTheirCompressedMessageIsTooLarge(CapturedOutput output) throws Exception {
		pass(LOG_INTERVAL);
		ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", this.grpc.getPort())
			.usePlaintext()
			.build();
		try {
			DataSinkGrpc.DataSinkStub stub = DataSinkGrpc.newStub(channel).withCompression("gzip");
			ClientStream stream = new ClientStream(stub::send);
			ClientStream single = new ClientStream((responses) -> stub.store(large(), responses));
			stream.send(large().toBuilder());

			for (ClientStream client : List.of(stream, single)) {
				await().until(() -> client.ended);
				assertThat(client.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
				assertThat(client.failure).hasMessageContaining("sink.limits.max-message");
			}
		}
		finally {
			channel.shutdownNow();
		}
		assertThat(output.getAll()).contains("The message is larger");
	}

	private static Request large() {
		return Request.newBuilder()
			.setVersion(1)
			.setMessageId(ByteString.copyFromUtf8("large"))
			.setPlainMessage(ByteString.copyFrom(new byte[2 * MAX_MESSAGE]))
			.build();
	}

	@Test
	void hearThatTheirBytesAreNoMessageAndLeaveNoStackTrace(CapturedOutput output) throws Exception {
		for (String method : List.of("Send", "Store")) {
			try (RawClient client = client()) {
				for (int i = 0; i < 50; i++) {
					RawClient.Call call = client.call(method);
					byte[] nonsense = new byte[100];
					Arrays.fill(nonsense, (byte) (0xF0 + i % 16));
					call.header(nonsense.length);
					call.write(nonsense);
					if ("Store".equals(method)) {
						call.complete();
					}

					assertThat(call.status()).as(method).isEqualTo(INVALID_ARGUMENT);
				}
			}
		}
		assertThat(output.getAll()).doesNotContain("\tat ");
	}

	@Test
	void leaveNoStackTraceByBreakingTheRulesOfHttp2(CapturedOutput output) throws Exception {
		try (RawClient client = client()) {
			RawClient.Call call = client.call("Send", new DefaultHttp2Headers().addInt("content-length", 1));
			call.write(new byte[100]);

			assertThat(call.status()).isEqualTo(RESET);
		}
		assertThat(output.getAll()).doesNotContain("\tat ");
	}

	@Test
	void causeALineNowAndThenHoweverManyCallsTheyHaveEnded(CapturedOutput output) throws Exception {
		for (int interval = 1; interval <= 2; interval++) {
			pass(LOG_INTERVAL);
			for (int i = 0; i < 10; i++) {
				try (RawClient client = client()) {
					RawClient.Call call = client.call("Send");
					call.header(2_000_000_000);
					call.write(new byte[MAX_MESSAGE]);
					call.write(new byte[MAX_MESSAGE]);
					assertThat(call.status()).isEqualTo(RESOURCE_EXHAUSTED);
				}
			}

			assertThat(output.getAll()
				.lines()
				.filter((line) -> line.contains("Ended a call of ") && line.contains("The message is larger")))
				.hasSize(interval);
		}
		assertThat(output.getAll()).contains("(9 similar lines suppressed)");
	}

	@Test
	void haveOnlySoMuchTimeForAMessage() throws Exception {
		for (String method : List.of("Send", "Store")) {
			try (RawClient client = client()) {
				RawClient.Call call = client.call(method);
				call.header(900_000);
				call.write(new byte[500_000]);
				await().untilAsserted(() -> assertThat(memory()).isGreaterThanOrEqualTo(500_000));

				pass(TOO_LONG);

				assertThat(call.status()).as(method).isEqualTo(DEADLINE_EXCEEDED);
			}
		}
	}

	@Test
	void cannotFillTheMemoryWithMessagesThatAreNotWhole() throws Exception {
		List<RawClient> clients = new ArrayList<>();
		List<RawClient.Call> calls = new ArrayList<>();
		double most = 0;
		try {
			for (int i = 0; i < 80; i++) {
				RawClient client = client();
				clients.add(client);
				RawClient.Call call = client.call("Send");
				calls.add(call);
				call.header(MAX_MESSAGE);
				call.write(new byte[MAX_MESSAGE - 1]);
				most = Math.max(most, memory());
			}
			for (RawClient.Call call : calls) {
				awaitEnd(call);
				assertThat(call.status()).isIn(RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, RESET);
				most = Math.max(most, memory());
			}
		}
		finally {
			for (RawClient client : clients) {
				client.close();
			}
		}
		// Until a call is reset, its connection may read one flow-control window.
		double windows = clients.size() * 512.0 * 1024;
		assertThat(most).as("80 MB were sent").isBetween((double) MAX_MESSAGE, 2.0 * MEMORY + windows);
	}

	@Test
	void cannotKeepACallByNotReadingItsEnd() throws Exception {
		try (RawClient client = new RawClient(this.grpc.getPort(), 0)) {
			RawClient.Call slow = client.call("Send");
			slow.header(900_000);
			slow.write(new byte[400_000]);

			awaitEnd(slow);

			assertThat(slow.status()).isEqualTo(RESET);
		}
	}

	@Test
	void cannotGoOnSendingByNotReadingTheEnd() throws Exception {
		try (RawClient client = new RawClient(this.grpc.getPort(), 0)) {
			RawClient.Call call = client.call("Send");
			call.header(2_000_000_000);
			double most = 0;
			while (!call.isEnded()) {
				call.write(new byte[100_000]);
				most = Math.max(most, memory());
				// One piece is in flight at a time.
				await().until(() -> call.isEnded() || call.settled());
			}

			assertThat(call.status()).isEqualTo(RESET);
			assertThat(most).isLessThan(MAX_MESSAGE + 1_000_000);
		}
	}

	private static void pass(Duration time) {
		clock.addAndGet(time.toNanos());
	}

	/** Waits as long as it takes by the sink's clock. */
	private static void awaitEnd(RawClient.Call call) {
		await().until(() -> {
			pass(TOO_LONG);
			return call.isEnded();
		});
	}

	private RawClient client() throws Exception {
		return new RawClient(this.grpc.getPort(), 65_535);
	}

	private double memory() {
		return this.registry.get(SinkMetric.MEMORY.key()).gauge().value();
	}

}
