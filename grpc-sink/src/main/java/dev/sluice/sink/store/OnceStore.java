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
 * Stores each message once. One with a place is known by it, which is up to the store.
 * Others are known by their client and id: a repeat of one that is being stored waits for
 * the first, and a repeat of one among the {@link RecentIds} is done at once. Other
 * content under a known name is no repeat, and is not stored. Thread-safe.
 * <p>
 * Who no longer waits for an answer may ask again: the repeat waits for the same.
 */
public final class OnceStore {

	private final MessageStore store;

	private final RecentIds recent;

	private final Object lock = new Object();

	/** What is being stored; no more than the store takes at once. */
	private final Map<Name, Pending> pending = new HashMap<>();

	private record Pending(int checksum, CompletableFuture<Outcome> stored) {
	}

	/** What storing comes to. */
	public enum Outcome {

		/** The store has it now. */
		STORED,

		/** The store had it before. */
		REPEATED

	}

	/**
	 * Knows what the ids say is known.
	 * @param store keeps the messages
	 * @param recent ids that the store has
	 */
	public OnceStore(MessageStore store, RecentIds recent) {
		this.store = store;
		this.recent = recent;
	}

	/**
	 * Stores a message, if it is not there.
	 * @param content to be kept
	 * @return as of {@link MessageStore#store}, and failed with a
	 * {@link ContentDiffersException} if the name is known of other content
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
	 * Stores a message of a session, if it is not there.
	 * @param place of the message
	 * @param content to be kept
	 * @return as of {@link MessageStore#store(Place, Content)}
	 */
	public CompletableFuture<Outcome> store(Place place, Content content) {
		if (!this.store.ready()) {
			place.fence().close();
			return CompletableFuture.failedFuture(new StoreUnavailableException("The storage is not ready"));
		}
		try {
			return this.store.store(place, content);
		}
		catch (RuntimeException ex) {
			place.fence().close();
			return CompletableFuture.failedFuture(new StoreUnavailableException("The store has failed: " + ex, ex));
		}
	}

	/**
	 * Stores messages of one stream and session, those that are not there.
	 * @param messages to be kept, in their order
	 * @param completion hears what came of each, as of
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
	 * A store that throws has failed as one that says so: the id must not stay pending.
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
