package dev.sluice.sink.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Message;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The client and a sink that breaks the protocol. The test controls time. */
class HostileSinkTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private final ScriptedSink sink = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private final List<String> refusals = new ArrayList<>();

	private final SinkClient client = new SinkClient(this.sink.channel(),
			SinkClientOptions.inMemory().withAckTimeout(ACK_TIMEOUT), new DeliveryListener() {

				@Override
				public void refused(Message message, int code, String description) {
					HostileSinkTests.this.refusals.add(description);
				}

			}, new MemorySpool(100_000), this.loop);

	@AfterEach
	void stop() {
		this.client.close();
		this.sink.close();
		assertThat(this.loop.failures()).isEmpty();
	}

	@Test
	void leavesASinkThatAcknowledgesOnlyWhatItWasNotSent() throws Exception {
		this.sink.sendInfo(100);
		send("a");
		for (int i = 0; i < 10; i++) {
			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			if (this.sink.streams == 1) {
				this.sink.ack("x");
			}
		}

		assertThat(this.sink.streams).isGreaterThan(1);
		assertThat(this.client.stats().spooled()).isOne();
	}

	@Test
	void waitsLongerEachTimeForASinkThatAcknowledgesOnlyWhatItWasNotSent() throws Exception {
		send("a");
		for (int i = 0; i < 50; i++) {
			int streams = this.sink.streams;
			this.sink.sendInfo(100);
			this.sink.ack("x");
			this.sink.fail(Status.UNAVAILABLE);
			while (this.sink.streams == streams) {
				this.loop.pass(Duration.ofMillis(10));
			}
		}

		assertThat(this.loop.nanoTime()).as("of 50 pauses up to 5 s").isGreaterThan(Duration.ofMinutes(1).toNanos());
	}

	@Test
	void sendsAMessageAgainOnceHoweverOftenTheSinkSaysThatItHasForgottenIt() throws Exception {
		this.sink.sendInfo(100);
		send("a");

		this.sink.send(ScriptedSink.info(100)
			.addAllRefusals(Collections.nCopies(1000,
					Refusal.newBuilder()
						.setMessageId(ByteString.copyFromUtf8("a"))
						.setCode(Status.Code.FAILED_PRECONDITION.value())
						.build())));
		this.loop.pass(Duration.ofSeconds(1));

		assertThat(this.sink.received).containsExactly("a", "a");
	}

	/** It keeps the id of each. */
	@Test
	void leavesASinkThatDoesNotAnswerRepeats() throws Exception {
		this.sink.sendInfo(100);
		this.sink.responses.request(100_000);
		for (int i = 0; i < 10_100 && this.sink.streams == 1; i++) {
			send("m" + i);
			this.loop.pass(ACK_TIMEOUT);
			assertThat(this.sink.received).hasSize(2);
			this.sink.ack("m" + i);
			this.sink.received.clear();
			this.sink.ids.clear();
			this.sink.requests.clear();
			this.loop.pass(Duration.ofSeconds(1));
		}

		assertThat(this.sink.streams).isEqualTo(2);
		assertThat(this.client.stats().spooled()).isZero();
	}

	@Test
	void keepsOneShortLineOfWhatTheSinkSays() throws Exception {
		this.sink.sendInfo(100);
		send("a");

		this.sink.send(ScriptedSink.info(100)
			.addRefusals(Refusal.newBuilder()
				.setMessageId(ByteString.copyFromUtf8("a"))
				.setCode(Status.Code.INVALID_ARGUMENT.value())
				.setDescription("no\n\u001b[31mroom\u2028here" + "x".repeat(100_000))));

		assertThat(this.refusals).singleElement().asString().startsWith("no [31mroom herexx").hasSizeLessThan(1_001);
	}

	@ParameterizedTest
	@CsvSource({ "0, ''", "5, 37a430ec0500000000000000", "5, 37a430ec05000000ffffffffffffffffffffffffffff" })
	void sendsWithoutADictionaryThatIsDamaged(int id, String content) throws Exception {
		this.sink.send(ScriptedSink.info(100)
			.setZstd(true)
			.setDictionary(Dictionary.newBuilder().setId(id).setContent(ByteString.fromHex(content))));
		send("a");

		assertThat(this.sink.received).containsExactly("a");
		assertThat(this.client.stats().disconnections()).isZero();
	}

	/** As a proxy that stops does: gRPC would try again at once, a thousand times. */
	@Test
	void opensAConnectionForEachStreamToASinkThatGoesAway() throws Exception {
		Queue<Socket> connections = new ConcurrentLinkedQueue<>();
		try (ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread.ofVirtual().start(() -> goAway(proxy, connections));
			ManagedChannelBuilder<?> channel = ManagedChannelBuilder
				.forAddress(proxy.getInetAddress().getHostAddress(), proxy.getLocalPort())
				.usePlaintext();
			try (SinkClient other = SinkClient.open(channel, SinkClientOptions.inMemory(), DeliveryListener.NONE)) {
				await().until(() -> other.stats().disconnections() >= 3);

				int opened = connections.size();
				assertThat((long) opened).as("connections, of a thousand for each stream")
					.isLessThan(10 * (other.stats().disconnections() + 1));
			}
		}
		for (Socket connection : connections) {
			connection.close();
		}
	}

	/** Answers each connection with the frames SETTINGS and GOAWAY. */
	private static void goAway(ServerSocket proxy, Queue<Socket> connections) {
		try {
			while (true) {
				Socket connection = proxy.accept();
				connections.add(connection);
				connection.getOutputStream()
					.write(HexFormat.of().parseHex("000000040000000000" + "000008070000000000" + "0000000000000000"));
			}
		}
		catch (IOException ex) {
			// The test has ended.
		}
	}

	private void send(String id) throws InterruptedException {
		this.client.send(ByteString.copyFromUtf8(id), ("payload of " + id).getBytes());
	}

}
