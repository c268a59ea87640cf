package dev.sluice.sink.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.Contents;
import dev.sluice.sink.Script;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Sessions of a {@link KafkaSessions} whose writers answer once the test lets them. */
class SessionsAtOnceTests {

	private final CountDownLatch begins = new CountDownLatch(1);

	private final List<SessionWriter> writers = new ArrayList<>();

	private final KafkaSessions sessions = new KafkaSessions(Map.of(), 2, Duration.ofDays(1), this::writer);

	@AfterEach
	void close() {
		this.begins.countDown();
		this.sessions.close();
	}

	/** Of the messages since the last {@code got}. */
	private final Queue<CompletableFuture<Completed>> results = new ArrayDeque<>();

	/** A message is a session, a letter, and a number. */
	private final Script script = new Script()
		.word("store", (messages) -> messages.forEach((message) -> this.results.add(store(message))))
		.word("begin", (_) -> this.begins.countDown())
		.word("got", (expected) -> {
			for (String outcome : expected) {
				assertThat(await(this.results.remove())).isEqualTo(outcome);
			}
		})
		.word("refused",
				(reason) -> assertThat(store(reason.getFirst()).get().failure().getCause())
					.hasMessageContaining(String.join(" ", reason.subList(1, reason.size()))))
		.word("end", (_) -> this.writers.getLast().end())
		.word("over", (_) -> Awaitility.await().until(this.writers.getLast()::over))
		.word("close", (_) -> this.sessions.close())
		.is(() -> "writers=%s ended=%s over=%s".formatted(this.writers.size(),
				this.writers.stream().filter(SessionWriter::ended).count(),
				this.writers.stream().filter(SessionWriter::over).count()));

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follow(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follow() {
		return Script.scenarios("""
				have one writer each
					store a1 a2 b1; begin; got STORED STORED STORED; is writers=2; store a1; got REPEATED
				are refused while all writers have something to write
					store a1 b1; refused c1 sink.sessions.max-writers; is writers=2 ended=0
				have a new writer once the last one is over
					begin; store a1; got STORED; end; over; store a2; got STORED; is writers=2
				store what was taken before they are closed
					store a1 b1; begin; close; got STORED STORED; is writers=2 over=2; refused a2; is writers=2
				write nothing behind what the last writer of a session still has, which is not dropped
					store a1; end; refused a2 is ending; begin; got STORED
				let no more writers end at once than there may be
					store a1; end; store b1; end; store c1; end; store d1; end; refused e1 sink.sessions.max-writers
				""");
	}

	@Test
	void endAnIdleWriterToMakeRoomForAnother() throws Exception {
		this.begins.countDown();
		await(store("a1"));
		await(store("b1"));

		Awaitility.await().until(() -> await(store("c1")).equals("STORED"));

		assertThat(this.writers).hasSize(3).filteredOn(SessionWriter::ended).hasSize(1);
		assertThat(this.writers.getLast().ended()).isFalse();
	}

	private static String await(CompletableFuture<Completed> stored) throws Exception {
		return Contents.name(stored.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS));
	}

	private CompletableFuture<Completed> store(String message) {
		ClientSession session = new ClientSession(ByteString.copyFromUtf8("session " + message.charAt(0)), 1, 0);
		return Contents.store(this.sessions::store, new Place(session, message.charAt(1) - '0', new Fence()),
				Contents.of("id-" + message.charAt(1), new byte[10]));
	}

	private SessionWriter writer(ClientSession session, Duration maxAge) {
		SessionWriter writer = new SessionWriter(session,
				SessionWriterTests.brokers(SessionWriterTests.newProducer(), this.begins), () -> {
				});
		this.writers.add(writer);
		return writer;
	}

}
