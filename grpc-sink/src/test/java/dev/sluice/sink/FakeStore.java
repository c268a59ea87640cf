package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import org.jspecify.annotations.Nullable;

/** Keeps messages, and completes them when a test says so. */
public final class FakeStore implements MessageStore {

	private final List<Pending> pending = new ArrayList<>();

	/** Messages being stored, by session and sequence. */
	private final Map<String, CompletableFuture<Integer>> placed = new HashMap<>();

	private final KnownSessions sessions = new KnownSessions(100, Duration.ofDays(6));

	/** Number of messages in each call. */
	private final List<Integer> together = new ArrayList<>();

	private boolean ready = true;

	private @Nullable RuntimeException thrown;

	@Override
	public boolean ready() {
		return this.ready;
	}

	public void ready(boolean value) {
		this.ready = value;
	}

	@Override
	public CompletableFuture<Integer> store(Content content) {
		RuntimeException failure = this.thrown;
		if (failure != null) {
			this.thrown = null;
			throw failure;
		}
		Pending message = new Pending(content.id().toStringUtf8(), content.key().toStringUtf8(), content.payload(),
				new CompletableFuture<>());
		this.pending.add(message);
		return message.done();
	}

	@Override
	public CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		SessionState state;
		try {
			state = Objects.requireNonNull(this.sessions.of(place.session(), 0));
		}
		catch (SessionForgottenException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		String placeName = place.session().id().toStringUtf8() + place.sequence();
		CompletableFuture<Integer> first = this.placed.get(placeName);
		return switch (state.offer(place.sequence(), content.checksum())) {
			case NEW -> {
				CompletableFuture<Integer> done = store(content).whenComplete((part, failure) -> {
					this.placed.remove(placeName);
					if (failure != null) {
						state.takeBack(place.sequence());
					}
				});
				this.placed.put(placeName, done);
				yield done.thenApply((_) -> OnceStore.Outcome.STORED);
			}
			case REPEAT -> (first != null) ? first.thenApply((_) -> OnceStore.Outcome.REPEATED)
					: CompletableFuture.completedFuture(OnceStore.Outcome.REPEATED);
			case DIFFERENT -> CompletableFuture.failedFuture(new ContentDiffersException(place.sequence()));
			case TOO_MANY_GAPS -> CompletableFuture.failedFuture(new StoreUnavailableException("gaps"));
		};
	}

	@Override
	public void store(List<Placed> messages, Completion completion) {
		this.together.add(messages.size());
		MessageStore.super.store(messages, completion);
	}

	/** Number of messages with a place in each call. */
	public List<Integer> together() {
		return List.copyOf(this.together);
	}

	/** Throws this at the next message. */
	public void failAtOnce(RuntimeException failure) {
		this.thrown = failure;
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
			take(id).done().complete(0);
		}
	}

	public void completeAll() {
		List<Pending> all = List.copyOf(this.pending);
		this.pending.clear();
		all.forEach((message) -> message.done().complete(0));
	}

	public void fail(String id, RuntimeException failure) {
		take(id).done().completeExceptionally(failure);
	}

	public List<String> pendingKeys() {
		return this.pending.stream().map(Pending::key).toList();
	}

	public record Pending(String id, String key, byte[] payload, CompletableFuture<Integer> done) {
	}

}
