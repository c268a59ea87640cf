package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Keeps messages, and completes them when a test says so. */
public final class FakeStore implements MessageStore {

	private final List<Pending> pending = new ArrayList<>();

	/** Messages that are stored or being stored, by session and sequence. */
	private final Map<String, Placing> places = new HashMap<>();

	private final Set<ByteString> sessions = new HashSet<>();

	/** Number of messages in each call. */
	private final List<Integer> together = new ArrayList<>();

	private @Nullable Uuid topic = Uuid.ONE_UUID;

	private @Nullable List<Completed> answer;

	private record Placing(int checksum, CompletableFuture<Void> done) {
	}

	@Override
	public @Nullable Uuid topic() {
		return this.topic;
	}

	public void topic(@Nullable Uuid value) {
		this.topic = value;
	}

	@Override
	public CompletableFuture<Void> store(Content content) {
		Pending message = new Pending(content.id().toStringUtf8(), content.key().toStringUtf8(), content.payload(),
				new CompletableFuture<>());
		this.pending.add(message);
		return message.done();
	}

	private CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		ByteString session = place.session().id();
		if (!this.sessions.contains(session)) {
			try {
				place.session().requireNew(Duration.ofDays(6));
			}
			catch (SessionForgottenException ex) {
				return CompletableFuture.failedFuture(ex);
			}
			this.sessions.add(session);
		}
		String name = session.toStringUtf8() + place.sequence();
		Placing known = this.places.get(name);
		if (known != null && place.isNew()) {
			return CompletableFuture.failedFuture(new SessionForgottenException("a copy"));
		}
		if (known != null) {
			return (known.checksum() == content.checksum()) ? known.done().thenApply((_) -> OnceStore.Outcome.REPEATED)
					: CompletableFuture.failedFuture(new ContentDiffersException(place.sequence()));
		}
		CompletableFuture<Void> done = store(content).whenComplete((_, failure) -> {
			if (failure != null) {
				this.places.remove(name);
			}
		});
		this.places.put(name, new Placing(content.checksum(), done));
		return done.thenApply((_) -> OnceStore.Outcome.STORED);
	}

	@Override
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		this.together.add(messages.size());
		if (this.answer != null) {
			completion.accept(this.answer);
			return;
		}
		List<CompletableFuture<Completed>> results = messages.stream()
			.map((message) -> store(message.place(), message.content())
				.handle((outcome, failure) -> new Completed(outcome, failure)))
			.toList();
		CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
			.thenRun(() -> completion.accept(results.stream().map(CompletableFuture::join).toList()));
	}

	/** Number of messages with a place in each call. */
	public List<Integer> together() {
		return List.copyOf(this.together);
	}

	/** Answers all messages of a call with a place together with this. */
	public void answerWith(List<Completed> results) {
		this.answer = results;
	}

	/** Number of messages that are neither stored nor failed. */
	public int pending() {
		return this.pending.size();
	}

	public List<String> pendingIds() {
		return this.pending.stream().map(Pending::id).toList();
	}

	public Pending take(String id) {
		Pending message = this.pending.stream().filter((one) -> one.id().equals(id)).findFirst().orElseThrow();
		this.pending.remove(message);
		return message;
	}

	public void complete(String... ids) {
		for (String id : ids) {
			take(id).done().complete(null);
		}
	}

	public void completeAll() {
		List<Pending> all = List.copyOf(this.pending);
		this.pending.clear();
		all.forEach((message) -> message.done().complete(null));
	}

	public void fail(String id, RuntimeException failure) {
		take(id).done().completeExceptionally(failure);
	}

	public List<String> pendingKeys() {
		return this.pending.stream().map(Pending::key).toList();
	}

	public record Pending(String id, String key, byte[] payload, CompletableFuture<Void> done) {
	}

}
