package dev.sluice.sink.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.Contents;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

	@Test
	void haveOneWriterEach() throws Exception {
		CompletableFuture<OnceStore.Outcome> first = store("a", 1);
		CompletableFuture<OnceStore.Outcome> second = store("a", 2);
		CompletableFuture<OnceStore.Outcome> another = store("b", 1);

		this.begins.countDown();

		assertThat(List.of(await(first), await(second), await(another))).containsOnly(OnceStore.Outcome.STORED);
		assertThat(this.writers).hasSize(2);
		assertThat(await(store("a", 1))).isEqualTo(OnceStore.Outcome.REPEATED);
	}

	@Test
	void areRefusedWhileAllWritersHaveSomethingToWrite() throws Exception {
		store("a", 1);
		store("b", 1);

		assertThatExceptionOfType(Exception.class).isThrownBy(() -> await(store("c", 1)))
			.withMessageContaining("sink.sessions.max-writers");

		assertThat(this.writers).hasSize(2).noneMatch(SessionWriter::ended);
	}

	@Test
	void endAnIdleWriterToMakeRoomForAnother() throws Exception {
		this.begins.countDown();
		await(store("a", 1));
		await(store("b", 1));

		Awaitility.await().until(() -> {
			CompletableFuture<OnceStore.Outcome> next = store("c", 1);
			return !next.isCompletedExceptionally() && await(next) == OnceStore.Outcome.STORED;
		});

		assertThat(this.writers).hasSize(3).filteredOn(SessionWriter::ended).hasSize(1);
		assertThat(this.writers.getLast().ended()).isFalse();
	}

	@Test
	void haveANewWriterOnceTheLastOneIsOver() throws Exception {
		this.begins.countDown();
		await(store("a", 1));
		this.writers.getFirst().end();
		Awaitility.await().until(this.writers.getFirst()::over);

		await(store("a", 2));

		assertThat(this.writers).hasSize(2);
	}

	@Test
	void storeWhatWasTakenBeforeTheyAreClosed() throws Exception {
		CompletableFuture<OnceStore.Outcome> taken = store("a", 1);
		store("b", 1);
		this.begins.countDown();

		this.sessions.close();

		assertThat(taken).isCompletedWithValue(OnceStore.Outcome.STORED);
		assertThat(this.writers).hasSize(2).allMatch(SessionWriter::over);
		assertThat(store("a", 2)).isCompletedExceptionally();
		assertThat(this.writers).hasSize(2);
	}

	@Test
	void writeNothingBehindWhatTheLastWriterOfASessionStillHas() throws Exception {
		CompletableFuture<OnceStore.Outcome> first = store("a", 1);
		this.writers.getFirst().end();

		assertThatExceptionOfType(Exception.class).isThrownBy(() -> await(store("a", 2)))
			.withMessageContaining("is ending");
		this.begins.countDown();
		assertThat(await(first)).as("its messages are not dropped").isEqualTo(OnceStore.Outcome.STORED);
	}

	@Test
	void letNoMoreWritersEndAtOnceThanThereMayBe() {
		for (String session : List.of("a", "b", "c", "d")) {
			store(session, 1);
			this.writers.getLast().end();
		}

		assertThatExceptionOfType(Exception.class).isThrownBy(() -> await(store("e", 1)))
			.withMessageContaining("sink.sessions.max-writers");
	}

	private static OnceStore.Outcome await(CompletableFuture<OnceStore.Outcome> stored) throws Exception {
		return stored.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
	}

	private CompletableFuture<OnceStore.Outcome> store(String session, long sequence) {
		Place place = new Place(session(session), sequence, new Fence());
		Content content = new Content(ByteString.copyFromUtf8("id-" + sequence), ByteString.EMPTY, 0, new byte[10]);
		return Contents.store(this.sessions::store, place, content);
	}

	private static ClientSession session(String name) {
		return new ClientSession(ByteString.copyFromUtf8("session " + name), 1, 0);
	}

	private SessionWriter writer(ClientSession session, Duration maxAge) {
		SessionWriter writer = new SessionWriter(session,
				SessionWriterTests.brokers(SessionWriterTests.newProducer(), this.begins), () -> {
				});
		this.writers.add(writer);
		return writer;
	}

}
