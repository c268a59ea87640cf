package dev.sluice.sink.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.sink.Requests;
import dev.sluice.sink.client.spool.FileSpool;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Spool;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The client's sequences. The test controls time. */
class SequenceTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private static final int WINDOW = 10;

	private final ScriptedSink sink = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	@TempDir
	private Path directory;

	@AfterEach
	void stop() {
		this.sink.close();
	}

	@Test
	void numbersMessagesAndSaysOnceWhoseTheyAre() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			client.send("a".getBytes());
			client.send("b".getBytes());

			assertThat(this.sink.requests).hasSize(2).allSatisfy((one) -> assertThat(one.getVersion()).isEqualTo(2));
			Request one = this.sink.requests.getFirst();
			assertThat(one.getSession().getId().size()).isEqualTo(8);
			assertThat(one.getSession().getFirstUnsettled()).isEqualTo(1);
			assertThat(one.getSequence()).isEqualTo(1);
			assertThat(this.sink.requests.getLast().hasSession()).isFalse();
			assertThat(this.sink.requests.getLast().getSequence()).isEqualTo(2);
		}
	}

	@Test
	void saysWhichMessagesItHasNotSentBefore() throws Exception {
		try (SinkClient client = client(new FileSpool(this.directory, 1_000_000, false))) {
			this.sink.sendInfo(100);
			client.send("a".getBytes());
			client.send("b".getBytes());
			assertThat(this.sink.requests.getFirst().getSession().getFirstNew()).isEqualTo(1);

			this.loop.reconnect(this.sink);
			assertThat(this.sink.requests.get(2).getSession().getFirstNew()).isEqualTo(3);
		}
		try (SinkClient _ = client(new FileSpool(this.directory, 1_000_000, false))) {
			this.sink.requests.clear();
			this.sink.sendInfo(100);
			assertThat(this.sink.requests.getFirst().getSession().getFirstNew()).as("an earlier opening's").isZero();
		}
	}

	@Test
	void numbersNoMessageWithAnIdOfItsSender() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			client.send(ByteString.copyFromUtf8("mine"), "a".getBytes());

			assertThat(this.sink.requests.getFirst().getSequence()).isZero();
			assertThat(this.sink.requests.getFirst().hasSession()).isFalse();
		}
	}

	@Test
	void keepsSessionsAndNumbersOverARestart() throws Exception {
		List<String> before;
		try (SinkClient client = client(new FileSpool(this.directory, 1_000_000, false))) {
			this.sink.sendInfo(100);
			client.send("a".getBytes());
			client.send("b".getBytes());
			before = places(this.sink);
			assertThat(before).hasSize(2);
		}
		try (SinkClient client = client(new FileSpool(this.directory, 1_000_000, false))) {
			client.send("c".getBytes());
			this.sink.requests.clear();
			this.sink.sendInfo(100);

			assertThat(places(this.sink)).as("no new one before these are stored").isEqualTo(before);
			this.sink.ack(this.sink.ids.subList(2, 4));
			List<String> after = places(this.sink);
			assertThat(after).hasSize(3).startsWith(before.toArray(String[]::new));
			assertThat(after.getLast().substring(0, 16)).as("the new one is of a new session")
				.isNotEqualTo(before.getFirst().substring(0, 16));
			assertThat(after).doesNotHaveDuplicates();
		}
	}

	@Test
	void sendsTheSameNumbersOfTheSameSessionAgainWhenAStreamEnds() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			for (int i = 0; i < 4; i++) {
				client.send("a".getBytes());
			}
			List<String> before = places(this.sink);
			assertThat(before).hasSize(4);
			this.sink.requests.clear();

			this.sink.fail(Status.UNAVAILABLE);
			client.send("behind".getBytes());
			this.loop.pass(Duration.ofMillis(100));
			this.sink.sendInfo(100);

			assertThat(places(this.sink)).hasSize(5).startsWith(before.toArray(String[]::new));
		}
	}

	@Test
	void usesAFullWindowAgainForWhatTheSinkCannotTell() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			for (int i = 0; i < WINDOW; i++) {
				client.send("a".getBytes());
			}
			ByteString id = this.sink.requests.getFirst().getMessageId();

			this.sink.refuse(id, Status.Code.FAILED_PRECONDITION);
			this.loop.pass(Duration.ofMillis(100));

			assertThat(this.sink.requests).hasSize(WINDOW + 1);
			assertThat(this.sink.requests.getLast().getMessageId()).isEqualTo(id);
			assertThat(client.stats().inFlight()).isEqualTo(WINDOW);
		}
	}

	@Test
	void sendsInANewSessionWhatTheSinkCannotTell() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			client.send("a".getBytes());
			client.send("b".getBytes());
			List<String> before = places(this.sink);
			List<ByteString> ids = this.sink.requests.stream().map(Request::getMessageId).toList();

			ids.forEach((id) -> this.sink.refuse(id, Status.Code.FAILED_PRECONDITION));
			this.loop.pass(Duration.ofMillis(100));

			List<String> again = places(this.sink).subList(2, 4);
			assertThat(again).doesNotContainAnyElementsOf(before);
			assertThat(again.getFirst().substring(0, 16)).as("both in one").isEqualTo(again.getLast().substring(0, 16));
			this.sink.ack(ids);
			assertThat(client.stats().spooled()).isZero();
			assertThat(client.stats().refused()).isZero();
		}
	}

	@Test
	void waitsLongerEachTimeBeforeItSendsToASinkThatForgetsEverything() throws Exception {
		try (SinkClient client = client(new MemorySpool(100_000))) {
			this.sink.sendInfo(100);
			for (int i = 0; i < WINDOW; i++) {
				client.send("a".getBytes());
			}
			this.sink.responses.request(1_000);
			int refused = 0;
			for (int millis = 0; millis < 9_000; millis += 10) {
				while (refused < this.sink.ids.size() && refused < 1_000) {
					this.sink.refuse(this.sink.ids.get(refused++), Status.Code.FAILED_PRECONDITION);
				}
				this.loop.pass(Duration.ofMillis(10));
			}
			assertThat(this.sink.ids).hasSizeBetween(5 * WINDOW, 12 * WINDOW);
			assertThat(client.stats().spooled()).isEqualTo(WINDOW);
		}
	}

	private SinkClient client(Spool spool) {
		return new SinkClient(this.sink.channel(),
				SinkClientOptions.inMemory().withWindow(WINDOW).withAckTimeout(ACK_TIMEOUT), DeliveryListener.NONE,
				spool, this.loop);
	}

	/** Session and sequence of each message, as the sink reads them. */
	private static List<String> places(ScriptedSink sink) {
		List<String> places = new ArrayList<>();
		String session = "";
		for (Request request : sink.requests) {
			if (request.hasSession()) {
				session = HexFormat.of().formatHex(request.getSession().getId().toByteArray());
			}
			for (BatchedMessage message : Requests.messages(request)) {
				places.add(session + "-" + message.getSequence());
			}
		}
		return places;
	}

}
