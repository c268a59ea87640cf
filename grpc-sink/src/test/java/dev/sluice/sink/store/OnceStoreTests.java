package dev.sluice.sink.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.FakeStore;
import dev.sluice.sink.Script;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** It remembers two messages. */
class OnceStoreTests {

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session 1"), 1, 0);

	private final FakeStore store = new FakeStore();

	private OnceStore once = new OnceStore(this.store, 2);

	private final List<CompletableFuture<Completed>> results = new ArrayList<>();

	/**
	 * A message is an id, with another payload ({@code a=other}) or with a key
	 * ({@code a/key}); {@code got} tells the results of those since the last {@code got}.
	 */
	private final Script script = new Script()
		.word("horizon", (messages) -> this.once = new OnceStore(this.store, Integer.parseInt(messages.getFirst())))
		.word("store", (messages) -> messages.forEach((message) -> store(content(message, 0))))
		.word("store-of-another", (message) -> store(content(message.getFirst(), 7)))
		.word("stored", (ids) -> this.store.complete(ids.toArray(String[]::new)))
		.word("down", (id) -> this.store.fail(id.getFirst(), Completed.notNow("down")))
		.word("new-topic", (_) -> this.store.topic(Uuid.randomUuid()))
		.added("got",
				() -> this.results.stream()
					.map((result) -> result.isDone() ? Contents.name(result.join()) : "nothing")
					.toList())
		.shown("storing", this.store::pendingIds);

	private static Content content(String message, long client) {
		String[] parts = message.split("[=/]");
		return new Content(ByteString.copyFromUtf8(parts[0]),
				ByteString.copyFromUtf8(message.contains("/") ? parts[1] : ""), client,
				(message.contains("=") ? parts[1] : parts[0]).getBytes());
	}

	private void store(Content content) {
		this.results.add(Contents.store(this.once::store, null, content));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				stores again what failed
					store a; down a; got UNAVAILABLE; store a; stored a; got STORED
				forgets what lies beyond the horizon
					store a b c; stored a b c; got STORED STORED STORED; store b c a; got REPEATED REPEATED nothing
				joins a repeat also if it remembers nothing
					horizon 0; store a a; stored a; got STORED REPEATED; store a; got nothing
				forgets what was in a topic that is gone
					store a; stored a; got STORED; new-topic; store a; got nothing
				refuses other content under a known id
					store a a=other; stored a; store a=other a/key; storing
					got STORED ALREADY_EXISTS ALREADY_EXISTS ALREADY_EXISTS
				gives an id to each client
					store a; stored a; store-of-another a=other; stored a; store a; got STORED STORED REPEATED
				""");
	}

	@Test
	void refusesAllOfSeveralWhileTheStoreIsNotReady() {
		this.store.topic(null);
		Fence fence = new Fence();
		List<Completed> completed = new ArrayList<>();

		this.once.store(List.of(new Placed(new Place(SESSION, 1, fence), content("a", 0)),
				new Placed(new Place(SESSION, 2, fence), content("b", 0))), completed::addAll);

		assertThat(completed).hasSize(2)
			.allSatisfy((result) -> assertThat(Contents.name(result)).isEqualTo("UNAVAILABLE"));
		assertThat(fence.isClosed()).isTrue();
		assertThat(this.store.pending()).isZero();
	}

}
