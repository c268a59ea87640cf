package dev.sluice.sink.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.google.protobuf.ByteString;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Stores each message once. One with a place is known by it, which is up to the store.
 * Others are known by their ids: a repeat of an id that is being stored waits for the
 * first, and a repeat of one among the {@link RecentIds} is done at once. Thread-safe.
 * <p>
 * Whoever asks hears within the timeout that nothing is known yet; the store goes on, and
 * the next repeat waits for the same.
 */
public final class OnceStore {

	private final MessageStore store;

	private final RecentIds recent;

	private final Duration timeout;

	private final Object lock = new Object();

	/** Ids being stored; no more than the store takes at once. */
	private final Map<ByteString, CompletableFuture<Outcome>> pending = new HashMap<>();

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
	 * @param timeout until who asks is told that the store does not answer
	 */
	public OnceStore(MessageStore store, RecentIds recent, Duration timeout) {
		this.store = store;
		this.recent = recent;
		this.timeout = timeout;
	}

	/**
	 * Stores a message, if it is not there.
	 * @param id of the message
	 * @param payload as it is to be kept
	 * @return as of {@link MessageStore#store}, and failed with a
	 * {@link StoreUnavailableException} after the timeout
	 */
	public CompletableFuture<Outcome> store(ByteString id, byte[] payload) {
		CompletableFuture<Outcome> stored;
		synchronized (this.lock) {
			if (!this.store.ready()) {
				return CompletableFuture.failedFuture(new StoreUnavailableException("The storage is not ready"));
			}
			if (this.recent.contains(id)) {
				return CompletableFuture.completedFuture(Outcome.REPEATED);
			}
			CompletableFuture<Outcome> first = this.pending.get(id);
			if (first != null) {
				return bounded(first.thenApply((_) -> Outcome.REPEATED));
			}
			stored = new CompletableFuture<>();
			this.pending.put(id, stored);
		}
		CompletableFuture<Outcome> asked = bounded(stored.copy());
		hand(id, payload).whenComplete((part, failure) -> done(id, stored, part, failure));
		return asked;
	}

	/**
	 * Stores a message of a session, if it is not there.
	 * @param place of the message
	 * @param id of the message
	 * @param payload as it is to be kept
	 * @return as of {@link MessageStore#store(Place, byte[], byte[])}, and failed with a
	 * {@link StoreUnavailableException} after the timeout
	 */
	public CompletableFuture<Outcome> store(Place place, ByteString id, byte[] payload) {
		if (!this.store.ready()) {
			return CompletableFuture.failedFuture(new StoreUnavailableException("The storage is not ready"));
		}
		try {
			return bounded(this.store.store(place, id.toByteArray(), payload).copy());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new StoreUnavailableException("The store has failed: " + ex, ex));
		}
	}

	/**
	 * A store that throws has failed as one that says so: the id must not stay pending.
	 */
	private CompletableFuture<Integer> hand(ByteString id, byte[] payload) {
		try {
			return this.store.store(id.toByteArray(), payload);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new StoreUnavailableException("The store has failed: " + ex, ex));
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // It is what was asked.
	private CompletableFuture<Outcome> bounded(CompletableFuture<Outcome> asked) {
		asked.orTimeout(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		return asked.exceptionallyCompose(
				(failure) -> CompletableFuture.failedFuture((failure instanceof TimeoutException)
						? new StoreUnavailableException(
								"The storage has not answered for " + this.timeout.toMillis() + " ms", failure)
						: failure));
	}

	private void done(ByteString id, CompletableFuture<Outcome> stored, Integer part, @Nullable Throwable failure) {
		synchronized (this.lock) {
			this.pending.remove(id);
			if (failure == null) {
				this.recent.add(part, id);
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
