package dev.sluice.sink.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Placed;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** With brokers that do not answer: a writer keeps the messages that it gets. */
class KafkaSessionsTests {

	private static final Map<String, Object> NOBODY = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
			"127.0.0.1:1", CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 100,
			CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, 200);

	private final KafkaSessions sessions = new KafkaSessions(NOBODY, 1, Duration.ofDays(1));

	private final Fence fence = new Fence();

	@Test
	void writeNothingBehindWhatTheLastWriterOfASessionStillHas() throws Exception {
		CompletableFuture<OnceStore.Outcome> first = store("a", 1);
		this.sessions.forget();
		assertThat(first).as("its messages are not dropped").isNotDone();

		CompletableFuture<OnceStore.Outcome> second = store("a", 2);

		assertThat(second).isCompletedExceptionally();
		assertThatExceptionOfType(Exception.class).isThrownBy(second::get)
			.withCauseInstanceOf(StoreUnavailableException.class)
			.withMessageContaining("is ending");
		assertThat(this.fence.isClosed()).as("no later message is stored").isTrue();
		assertThat(first).isNotDone();
	}

	@Test
	void letNoMoreWritersEndAtOnceThanThereMayBe() throws Exception {
		store("a", 1);
		this.sessions.forget();
		assertThat(store("b", 1)).as("beside one that is ending").isNotDone();
		this.sessions.forget();

		assertThatExceptionOfType(Exception.class).isThrownBy(store("c", 1)::get)
			.withMessageContaining("sink.sessions.max-writers");
	}

	@Test
	void takeNothingOnceTheyAreClosed() {
		this.sessions.close();

		assertThatExceptionOfType(Exception.class).isThrownBy(store("a", 1)::get)
			.withMessageContaining("shutting down");
		assertThat(this.fence.isClosed()).isTrue();
	}

	private CompletableFuture<OnceStore.Outcome> store(String session, long sequence) {
		Place place = new Place(new ClientSession(ByteString.copyFromUtf8("session " + session), 1, 0), sequence,
				this.fence);
		Content content = new Content(ByteString.copyFromUtf8("id-" + sequence), ByteString.EMPTY, 0, new byte[10]);
		CompletableFuture<OnceStore.Outcome> done = new CompletableFuture<>();
		this.sessions.store(List.of(new Placed(place, content)), (_, results) -> results.getFirst().to(done));
		return done;
	}

}
