package dev.sluice.sink.store;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.Id;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Stores each message once. The underlying store recognizes repeats of messages with a
 * place. This class recognizes repeats of others by client and id: a repeat of a message
 * that is being stored waits for its result, and a repeat of one of the last
 * {@code horizon} that were stored completes at once. Another process, also a later one,
 * does not know them. A message with a known name and other content is not a repeat, and
 * is not stored. Thread-safe.
 * <p>
 * A caller that has given up waiting may store the message again: it then waits for the
 * same result.
 */
public final class OnceStore {

	private final MessageStore store;

	private final int horizon;

	private final Object lock = new Object();

	/** Messages being stored, at most as many as the store takes at once. */
	@GuardedBy("lock")
	private final Map<Name, Pending> pending = new HashMap<>();

	/** Checksums of the messages stored last, the oldest first. */
	@GuardedBy("lock")
	private final LinkedHashMap<Name, Integer> recent = new LinkedHashMap<>();

	/** The topic that these are in. */
	@GuardedBy("lock")
	private @Nullable Uuid topic;

	private record Pending(int checksum, CompletableFuture<Outcome> stored) {
	}

	/**
	 * An id with its owner.
	 *
	 * @param client owner of the id; 0 = all clients without a certificate
	 */
	private record Name(long client, Id id) {
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
	 * @param horizon number of messages without a place to remember; 0 = none
	 */
	public OnceStore(MessageStore store, int horizon) {
		this.store = store;
		this.horizon = horizon;
	}

	/**
	 * Stores a message unless it is already stored.
	 * @param content content to store
	 * @return as in {@link MessageStore#store(Content)}; also fails with a
	 * {@link ContentDiffersException} if the name is known with other content
	 */
	public CompletableFuture<Outcome> store(Content content) {
		Name name = new Name(content.client(), Id.of(content.id()));
		CompletableFuture<Outcome> stored;
		synchronized (this.lock) {
			Uuid now = this.store.topic();
			if (now == null) {
				return CompletableFuture.failedFuture(new StoreUnavailableException("The storage is not ready"));
			}
			if (!now.equals(this.topic)) {
				this.topic = now;
				this.recent.clear();
			}
			Integer known = this.recent.get(name);
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
		this.store.store(content).whenComplete((_, failure) -> done(name, content.checksum(), stored, failure));
		return stored;
	}

	/**
	 * Stores those messages of one stream and session that are not already stored.
	 * @param messages messages to store, in order
	 * @param completion receives the results, as in
	 * {@link MessageStore#store(List, Consumer)}
	 */
	public void store(List<MessageStore.Placed> messages, Consumer<List<MessageStore.Completed>> completion) {
		if (this.store.ready()) {
			this.store.store(messages, completion);
			return;
		}
		messages.getFirst().place().fence().close();
		completion.accept(Collections.nCopies(messages.size(),
				new MessageStore.Completed(null, new StoreUnavailableException("The storage is not ready"))));
	}

	private void done(Name name, int checksum, CompletableFuture<Outcome> stored, @Nullable Throwable failure) {
		synchronized (this.lock) {
			this.pending.remove(name);
			if (failure == null) {
				this.recent.put(name, checksum);
				if (this.recent.size() > this.horizon) {
					this.recent.pollFirstEntry();
				}
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
