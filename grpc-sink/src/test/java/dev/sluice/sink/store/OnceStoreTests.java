package dev.sluice.sink.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.FakeStore;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.OnceStore.Outcome;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OnceStoreTests {

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session 1"), 1, 0);

	private final FakeStore store = new FakeStore();

	private final OnceStore once = new OnceStore(this.store, 2);

	@Test
	void storesAgainWhatFailed() {
		CompletableFuture<Outcome> first = store("a");
		this.store.fail("a", new StoreUnavailableException("down"));
		assertThat(first).isCompletedExceptionally();

		CompletableFuture<Outcome> second = store("a");
		this.store.complete("a");

		assertThat(second).isCompletedWithValue(Outcome.STORED);
	}

	@Test
	void refusesAllOfSeveralWhileTheStoreIsNotReady() {
		this.store.topic(null);
		Fence fence = new Fence();

		List<Completed> completed = storeTogether(fence, "a", "b");

		assertThat(completed).hasSize(2)
			.allSatisfy((result) -> assertThat(result.failure()).isInstanceOf(StoreUnavailableException.class));
		assertThat(fence.isClosed()).isTrue();
		assertThat(this.store.pending()).isZero();
	}

	private List<Completed> storeTogether(Fence fence, String... ids) {
		List<Placed> messages = new ArrayList<>();
		for (String id : ids) {
			messages.add(new Placed(new Place(SESSION, messages.size() + 1, fence),
					Contents.of(ByteString.copyFromUtf8(id), id.getBytes())));
		}
		List<Completed> completed = new ArrayList<>();
		this.once.store(messages, completed::addAll);
		return completed;
	}

	@Test
	void forgetsWhatLiesBeyondTheHorizon() {
		for (String id : new String[] { "a", "b", "c" }) {
			store(id);
			this.store.complete(id);
		}

		assertThat(store("b")).isCompletedWithValue(Outcome.REPEATED);
		assertThat(store("c")).isCompletedWithValue(Outcome.REPEATED);
		assertThat(store("a")).as("the third last").isNotDone();
	}

	@Test
	void joinsARepeatAlsoIfItRemembersNothing() {
		OnceStore none = new OnceStore(this.store, 0);
		CompletableFuture<Outcome> first = none.store(Contents.of("a", new byte[1]));
		CompletableFuture<Outcome> second = none.store(Contents.of("a", new byte[1]));
		this.store.complete("a");

		assertThat(first).isCompletedWithValue(Outcome.STORED);
		assertThat(second).isCompletedWithValue(Outcome.REPEATED);
		assertThat(none.store(Contents.of("a", new byte[1]))).as("stored again").isNotDone();
	}

	@Test
	void forgetsWhatWasInATopicThatIsGone() {
		store("a");
		this.store.complete("a");

		this.store.topic(Uuid.randomUuid());

		assertThat(store("a")).as("stored again").isNotDone();
	}

	@Test
	void refusesOtherContentUnderAKnownId() {
		CompletableFuture<Outcome> stored = store("a");
		CompletableFuture<Outcome> during = this.once.store(Contents.of("a", "other".getBytes()));
		this.store.complete("a");
		CompletableFuture<Outcome> after = this.once.store(Contents.of("a", "other".getBytes()));
		CompletableFuture<Outcome> otherKey = this.once.store(Contents.of("a", "key", "a".getBytes()));

		assertThat(stored).isCompletedWithValue(Outcome.STORED);
		for (CompletableFuture<Outcome> refused : List.of(during, after, otherKey)) {
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(refused::get)
				.withCauseInstanceOf(ContentDiffersException.class);
		}
		assertThat(this.store.pending()).isZero();
	}

	@Test
	void givesAnIdToEachClient() {
		store("a");
		this.store.complete("a");

		CompletableFuture<Outcome> ofAnother = this.once
			.store(new Content(ByteString.copyFromUtf8("a"), ByteString.EMPTY, 7, "other".getBytes()));
		this.store.complete("a");

		assertThat(ofAnother).isCompletedWithValue(Outcome.STORED);
		assertThat(store("a")).isCompletedWithValue(Outcome.REPEATED);
	}

	private CompletableFuture<Outcome> store(String id) {
		return this.once.store(Contents.of(ByteString.copyFromUtf8(id), id.getBytes()));
	}

}
