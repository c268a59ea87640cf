package dev.sluice.sink.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The client's sequences. The test controls time. */
class SequenceTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private static final int WINDOW = 10;

	private final ScriptedSink first = new ScriptedSink();

	private final ScriptedSink second = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private final List<Server> servers = new ArrayList<>();

	private final List<ManagedChannel> channels = new ArrayList<>();

	@TempDir
	private Path directory;

	@BeforeEach
	void start() throws Exception {
		for (ScriptedSink sink : List.of(this.first, this.second)) {
			String name = InProcessServerBuilder.generateName();
			this.servers.add(InProcessServerBuilder.forName(name).directExecutor().addService(sink).build().start());
			this.channels.add(InProcessChannelBuilder.forName(name).directExecutor().build());
		}
	}

	@AfterEach
	void stop() {
		this.channels.forEach(ManagedChannel::shutdownNow);
		this.servers.forEach(Server::shutdownNow);
	}

	@Test
	void numbersMessagesAndSaysOnceWhoseTheyAre() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfoWithSequences(100);
			client.send("a".getBytes());
			client.send("b".getBytes());

			assertThat(this.first.requests).hasSize(2).allSatisfy((one) -> assertThat(one.getVersion()).isEqualTo(2));
			Request one = this.first.requests.getFirst();
			assertThat(one.getSession().getId().size()).isEqualTo(8);
			assertThat(one.getSession().getFirstUnsettled()).isEqualTo(1);
			assertThat(one.getSequence()).isEqualTo(1);
			assertThat(this.first.requests.getLast().hasSession()).isFalse();
			assertThat(this.first.requests.getLast().getSequence()).isEqualTo(2);
		}
	}

	@Test
	void sendsAnOldSinkWhatItKnows() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfo(100);
			client.send("a".getBytes());

			Request only = this.first.requests.getFirst();
			assertThat(only).isEqualTo(Request.newBuilder()
				.setVersion(1)
				.setMessageId(only.getMessageId())
				.setPlainMessage(ByteString.copyFromUtf8("a"))
				.build());
		}
	}

	@Test
	void numbersNoMessageWithAnIdOfItsSender() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfoWithSequences(100);
			client.send(ByteString.copyFromUtf8("mine"), "a".getBytes());

			assertThat(this.first.requests.getFirst().getSequence()).isZero();
			assertThat(this.first.requests.getFirst().hasSession()).isFalse();
		}
	}

	@Test
	void keepsSessionsAndNumbersOverARestart() throws Exception {
		List<String> before;
		try (SinkClient client = client(new FileSpool(this.directory, 1_000_000, Durability.PROCESS), 1)) {
			this.first.sendInfoWithSequences(100);
			client.send("a".getBytes());
			client.send("b".getBytes());
			before = places(this.first);
			assertThat(before).hasSize(2);
		}
		try (SinkClient client = client(new FileSpool(this.directory, 1_000_000, Durability.PROCESS), 1)) {
			client.send("c".getBytes());
			this.first.requests.clear();
			this.first.sendInfoWithSequences(100);

			assertThat(places(this.first)).as("no new one before these are stored").isEqualTo(before);
			this.first.ack(this.first.requests.stream().map(Request::getMessageId).toList());
			List<String> after = places(this.first);
			assertThat(after).hasSize(3).startsWith(before.toArray(String[]::new));
			assertThat(after.getLast().substring(0, 16)).as("the new one is of a new session")
				.isNotEqualTo(before.getFirst().substring(0, 16));
			assertThat(after).doesNotHaveDuplicates();
		}
	}

	@Test
	void staysWithOneSinkUntilThatFails() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 2)) {
			this.first.sendInfoWithSequences(100);
			this.second.sendInfoWithSequences(100);
			for (int i = 0; i < 4; i++) {
				client.send("a".getBytes());
			}
			assertThat(places(this.first)).hasSize(4);
			assertThat(this.second.requests).isEmpty();

			this.first.fail(Status.UNAVAILABLE);

			assertThat(places(this.second)).as("the same numbers of the same session").isEqualTo(places(this.first));
		}
	}

	@Test
	void leavesASinkThatLetsAMessageTimeOut() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 2)) {
			this.first.sendInfoWithSequences(100);
			this.second.sendInfoWithSequences(100);
			client.send("a".getBytes());
			assertThat(places(this.second)).isEmpty();

			this.loop.pass(ACK_TIMEOUT);

			assertThat(places(this.second)).isEqualTo(places(this.first));
		}
	}

	@Test
	void sendsAnotherSinkWhatWasInFlightBeforeWhatComesBehindIt() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 2)) {
			this.first.sendInfoWithSequences(100);
			this.second.sendInfoWithSequences(100);
			client.send("a".getBytes());
			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			client.send("b".getBytes());
			client.send("c".getBytes());

			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			client.send("d".getBytes());

			assertThat(places(this.first)).as("only a is late").hasSize(3);
			assertThat(places(this.second)).hasSize(4).startsWith(places(this.first).toArray(String[]::new));
		}
	}

	@Test
	void sendsAnotherSinkWhatWasInFlightBeforeWhatWaitsForRoom() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 2)) {
			this.first.sendInfoWithSequences(100);
			this.second.sendInfoWithSequences(100);
			client.send("a".getBytes());
			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			for (int i = 0; i < WINDOW + 1; i++) {
				client.send("b".getBytes());
			}
			assertThat(places(this.first)).as("two wait").hasSize(WINDOW);

			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			assertThat(places(this.second)).as("only the first is late").isEqualTo(places(this.first));

			this.second.ack(this.second.requests.stream().map(Request::getMessageId).toList());
			assertThat(places(this.second)).hasSize(WINDOW + 2).startsWith(places(this.first).toArray(String[]::new));
		}
	}

	@Test
	void cancelsTheStreamWhoseMessagesAnotherSinkGets() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 2)) {
			this.first.sendInfoWithSequences(100);
			this.second.sendInfoWithSequences(100);
			client.send("a".getBytes());
			this.loop.pass(ACK_TIMEOUT.dividedBy(2));
			client.send("b".getBytes());
			ServerCallStreamObserver<Response> left = this.first.responses;

			this.loop.pass(ACK_TIMEOUT.dividedBy(2));

			assertThat(left.isCancelled()).isTrue();
			assertThat(this.second.responses.isCancelled()).isFalse();
			this.loop.pass(Duration.ofMillis(100));
			assertThat(this.first.streams).as("it may be needed again").isEqualTo(2);
		}
	}

	@Test
	void usesAFullWindowAgainForWhatTheSinkCannotTell() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfoWithSequences(100);
			for (int i = 0; i < WINDOW; i++) {
				client.send("a".getBytes());
			}
			ByteString id = this.first.requests.getFirst().getMessageId();

			this.first.refuse(id, Status.Code.FAILED_PRECONDITION);

			assertThat(this.first.requests).hasSize(WINDOW + 1);
			assertThat(this.first.requests.getLast().getMessageId()).isEqualTo(id);
			assertThat(client.stats().inFlight()).isEqualTo(WINDOW);
		}
	}

	@Test
	void sendsInANewSessionWhatTheSinkCannotTell() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfoWithSequences(100);
			client.send("a".getBytes());
			client.send("b".getBytes());
			List<String> before = places(this.first);
			List<ByteString> ids = this.first.requests.stream().map(Request::getMessageId).toList();

			ids.forEach((id) -> this.first.refuse(id, Status.Code.FAILED_PRECONDITION));

			List<String> again = places(this.first).subList(2, 4);
			assertThat(again).doesNotContainAnyElementsOf(before);
			assertThat(again.getFirst().substring(0, 16)).as("both in one").isEqualTo(again.getLast().substring(0, 16));
			this.first.ack(ids);
			assertThat(client.stats().spooled()).isZero();
			assertThat(client.stats().refused()).isZero();
		}
	}

	@Test
	void refusesWhatDiffers() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000), 1)) {
			this.first.sendInfoWithSequences(100);
			client.send("a".getBytes());

			this.first.refuse(this.first.requests.getFirst().getMessageId(), Status.Code.ALREADY_EXISTS);

			assertThat(client.stats().refused()).isEqualTo(1);
		}
	}

	private SinkClient client(Spool spool, int sinks) {
		SinkClient client = new SinkClient(this.channels.subList(0, sinks),
				SinkClientOptions.inMemory()
					.withWindow(WINDOW)
					.withAckTimeout(ACK_TIMEOUT)
					.withBatches(0, Duration.ZERO),
				DeliveryListener.NONE, spool, this.loop);
		return client;
	}

	/** Session and sequence of each message, as the sink reads them. */
	private static List<String> places(ScriptedSink sink) {
		List<String> places = new ArrayList<>();
		String session = "";
		for (Request request : sink.requests) {
			if (request.hasSession()) {
				session = java.util.HexFormat.of().formatHex(request.getSession().getId().toByteArray());
			}
			if (request.getMessagesCount() == 0) {
				places.add(session + "-" + request.getSequence());
			}
			for (BatchedMessage message : request.getMessagesList()) {
				places.add(session + "-" + message.getSequence());
			}
		}
		return places;
	}

}
