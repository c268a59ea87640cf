package dev.sluice.sink.store;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.RecentIds.Name;
import org.jspecify.annotations.Nullable;

/**
 * Stores each message once. The underlying store recognizes repeats of messages with a
 * place. This class recognizes repeats of others by client and id: a repeat of a message
 * that is being stored waits for its result, and a repeat of one among the
 * {@link RecentIds} completes at once. A message with a known name and other content is
 * not a repeat, and is not stored. Thread-safe.
 * <p>
 * A caller that has given up waiting may store the message again: it then waits for the
 * same result.
 */
public final class OnceStore {

	private final MessageStore store;

	private final RecentIds recent;

	private final Object lock = new Object();

	/** Messages being stored, at most as many as the store takes at once. */
	private final Map<Name, Pending> pending = new HashMap<>();

	private record Pending(int checksum, CompletableFuture<Outcome> stored) {
	}

	/** The outcome of storing a message. */
	public enum Outcome {

		/** It is newly stored. */
		STORED,

		/** It was already stored. */
		REPEATED

	}

	/**
	 * Creates a store.
	 * @param store stores the messages
	 * @param recent ids of messages that are stored
	 */
	public OnceStore(MessageStore store, RecentIds recent) {
		this.store = store;
		this.recent = recent;
	}

	/**
	 * Stores a message unless it is already stored.
	 * @param content content to store
	 * @return as in {@link MessageStore#store(Content)}; also fails with a
	 * {@link ContentDiffersException} if the name is known with other content
	 */
	public CompletableFuture<Outcome> store(Content content) {
		Name name = Name.of(content.client(), content.id());
		CompletableFuture<Outcome> stored;
		synchronized (this.lock) {
			if (!this.store.ready()) {
				return CompletableFuture.failedFuture(new StoreUnavailableException("The storage is not ready"));
			}
			Integer known = this.recent.checksum(name);
			if (known != null) {
				return (known == content.checksum()) ? CompletableFuture.completedFuture(Outcome.REPEATED)
						: CompletableFuture.failedFuture(new ContentDiffersException());
			}
			Pending first = this.pending.get(name);
			if (first != null) {
				return (first.checksum() == content.checksum()) ? first.stored().thenApply((_) -> Outcome.REPEATED)
						: CompletableFuture.failedFuture(new ContentDiffersException());
			}
			stored = new CompletableFuture<>();
			this.pending.put(name, new Pending(content.checksum(), stored));
		}
		hand(content).whenComplete((part, failure) -> done(name, content.checksum(), stored, part, failure));
		return stored;
	}

	/**
	 * Stores a message of a session unless it is already stored.
	 * @param place place of the message
	 * @param content content to store
	 * @return as in {@link MessageStore#store(List, MessageStore.Completion)}
	 */
	public CompletableFuture<Outcome> store(Place place, Content content) {
		CompletableFuture<Outcome> done = new CompletableFuture<>();
		store(List.of(new MessageStore.Placed(place, content)), (_, results) -> results.getFirst().to(done));
		return done;
	}

	/**
	 * Stores those messages of one stream and session that are not already stored.
	 * @param messages messages to store, in order
	 * @param completion receives the result of each, as in
	 * {@link MessageStore#store(Place, Content)}
	 */
	public void store(List<MessageStore.Placed> messages, MessageStore.Completion completion) {
		StoreUnavailableException failure = null;
		if (!this.store.ready()) {
			failure = new StoreUnavailableException("The storage is not ready");
		}
		else {
			try {
				this.store.store(messages, completion);
			}
			catch (RuntimeException ex) {
				failure = new StoreUnavailableException("The store has failed: " + ex, ex);
			}
		}
		if (failure != null) {
			messages.getFirst().place().fence().close();
			completion.done(0, Collections.nCopies(messages.size(), new MessageStore.Completed(null, failure)));
		}
	}

	/**
	 * Treats a store that throws like one that returns a failure: the id must not stay
	 * pending.
	 */
	private CompletableFuture<Integer> hand(Content content) {
		try {
			return this.store.store(content);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new StoreUnavailableException("The store has failed: " + ex, ex));
		}
	}

	private void done(Name name, int checksum, CompletableFuture<Outcome> stored, Integer part,
			@Nullable Throwable failure) {
		synchronized (this.lock) {
			this.pending.remove(name);
			if (failure == null) {
				this.recent.add(part, name, checksum);
			}
		}
		if (failure == null) {
			stored.complete(Outcome.STORED);
		}
		else {
			stored.completeExceptionally(failure);
		}
	}

}
