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
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import io.grpc.Status;
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

	private static final Completed DIFFERENT = Completed.refused(Status.Code.ALREADY_EXISTS,
			"Another message has the same id, with another payload or key; give each message its own id");

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

	private record Pending(int checksum, CompletableFuture<Completed> result) {
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
	 * Stores those messages that are not already stored.
	 * @param messages messages to store, in order
	 * @param completion receives the results
	 * @see MessageStore#store(List, Consumer)
	 */
	public void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		Place place = messages.getFirst().place();
		Uuid now = this.store.topic();
		if (now == null) {
			if (place != null) {
				place.fence().close();
			}
			completion.accept(Collections.nCopies(messages.size(), Completed.notNow("The storage is not ready")));
		}
		else if (place != null) {
			this.store.store(messages, completion);
		}
		else {
			var _ = store(now, messages).thenAccept((result) -> completion.accept(List.of(result)));
		}
	}

	/** Stores the only message, which has no place. */
	private CompletableFuture<Completed> store(Uuid now, List<Placed> message) {
		Content content = message.getFirst().content();
		Name name = new Name(content.client(), Id.of(content.id()));
		Pending mine = new Pending(content.checksum(), new CompletableFuture<>());
		synchronized (this.lock) {
			if (!now.equals(this.topic)) {
				this.topic = now;
				this.recent.clear();
			}
			Integer stored = this.recent.get(name);
			Pending first = (stored != null) ? new Pending(stored, CompletableFuture.completedFuture(Completed.STORED))
					: this.pending.putIfAbsent(name, mine);
			if (first != null) {
				return (first.checksum() == content.checksum()) ? first.result().thenApply(OnceStore::ofRepeat)
						: CompletableFuture.completedFuture(DIFFERENT);
			}
		}
		this.store.store(message, (results) -> done(name, mine, results.getFirst()));
		return mine.result();
	}

	private static Completed ofRepeat(Completed first) {
		return (first.failure() == null) ? Completed.REPEATED : first;
	}

	private void done(Name name, Pending first, Completed result) {
		synchronized (this.lock) {
			this.pending.remove(name);
			if (result.failure() == null) {
				this.recent.put(name, first.checksum());
				if (this.recent.size() > this.horizon) {
					this.recent.pollFirstEntry();
				}
			}
		}
		first.result().complete(result);
	}

}
