package dev.sluice.sink.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.contract.sink.Refusal;
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

	private final ClientScript script = new ClientScript();

	private final ScriptedSink sink = this.script.sink;

	@AfterEach
	void stop() {
		this.script.close();
	}

	@Test
	void waitsLongerEachTimeForASinkThatAcknowledgesOnlyWhatItWasNotSent() {
		this.script.play("send a");
		for (int i = 0; i < 50; i++) {
			int streams = this.sink.streams;
			this.script.play("info 100; ack x; fail");
			while (this.sink.streams == streams) {
				this.script.play("pass 10ms");
			}
		}

		assertThat(this.script.loop.nanoTime()).as("of 50 pauses up to 5 s")
			.isGreaterThan(Duration.ofMinutes(1).toNanos());
	}

	@Test
	void sendsAMessageAgainOnceHoweverOftenTheSinkSaysThatItHasForgottenIt() {
		this.script.play("info 100; send a");

		this.sink.send(ScriptedSink.info(100)
			.addAllRefusals(Collections.nCopies(1000,
					Refusal.newBuilder()
						.setMessageId(ByteString.copyFromUtf8("a"))
						.setCode(Status.Code.FAILED_PRECONDITION.value())
						.build())));

		this.script.play("pass 1s; is streams=2; info 100; sent a a");
	}

	@Test
	void keepsOneShortLineOfWhatTheSinkSays() {
		this.script.play("info 100; send a");

		this.sink.send(ScriptedSink.info(100)
			.addRefusals(Refusal.newBuilder()
				.setMessageId(ByteString.copyFromUtf8("a"))
				.setCode(Status.Code.INVALID_ARGUMENT.value())
				.setDescription("no\n\u001b[31mroom\u2028here" + "x".repeat(100_000))));

		assertThat(this.script.reason).startsWith("no [31mroom herexx").hasSizeLessThan(1_001);
	}

	@ParameterizedTest
	@CsvSource({ "0, ''", "5, 37a430ec0500000000000000", "5, 37a430ec05000000ffffffffffffffffffffffffffff" })
	void sendsWithoutADictionaryThatIsDamaged(int id, String content) {
		this.script.client();
		this.sink.send(ScriptedSink.info(100)
			.setZstd(true)
			.setDictionary(Dictionary.newBuilder().setId(id).setContent(ByteString.fromHex(content))));

		this.script.play("send a; sent a; is disconnections=0");
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

}
