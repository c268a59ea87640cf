package dev.sluice.sink.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import org.jspecify.annotations.Nullable;

/** Keeps messages: those with a place once, others as often as they are given. */
public interface MessageStore {

	/**
	 * Stores a message. May wait a bounded time for room.
	 * @param content to be kept
	 * @return done once the message is durable, with the number of the part of the store
	 * that has it; failed with a {@link StoreUnavailableException} if it is not stored
	 * now and with a {@link MessageTooLargeException} if it never will be
	 */
	CompletableFuture<Integer> store(Content content);

	/**
	 * Stores a message of a session, if it is not there. Does not wait, so that the
	 * thread of a connection may call it. If it is not stored now, the place's fence is
	 * closed, and what comes behind a closed fence is not stored.
	 * @param place of the message
	 * @param content to be kept
	 * @return done once the message is durable; failed as above, with a
	 * {@link SessionForgottenException} if nobody can tell whether the message is there,
	 * and with a {@link ContentDiffersException} if another one has its place
	 */
	CompletableFuture<OnceStore.Outcome> store(Place place, Content content);

	/**
	 * Stores messages of one stream and session, in their order; each as of
	 * {@link #store(Place, Content)}. Does not wait.
	 * @param messages to be kept, one at least
	 * @param completion hears what came of each, once; of none if this throws
	 */
	default void store(List<Placed> messages, Completion completion) {
		for (int i = 0; i < messages.size(); i++) {
			int index = i;
			storeOne(messages.get(i))
				.whenComplete((outcome, failure) -> completion.done(index, List.of(new Completed(outcome, failure))));
		}
	}

	private CompletableFuture<OnceStore.Outcome> storeOne(Placed message) {
		try {
			return store(message.place(), message.content());
		}
		catch (RuntimeException ex) {
			message.place().fence().close();
			return CompletableFuture.failedFuture(new StoreUnavailableException("The store has failed: " + ex, ex));
		}
	}

	/** Whether messages are taken now. */
	boolean ready();

	/** A message of a session, and where it stands. */
	record Placed(Place place, Content content) {
	}

	/**
	 * What came of a message: one of the two is null.
	 *
	 * @param failure as of {@link #store(Place, Content)}
	 */
	record Completed(OnceStore.@Nullable Outcome outcome, @Nullable Throwable failure) {

		/** Completes a future likewise. */
		void to(CompletableFuture<OnceStore.Outcome> future) {
			if (this.failure != null) {
				future.completeExceptionally(this.failure);
			}
			else {
				future.complete(this.outcome);
			}
		}

	}

	/**
	 * Hears what came of messages that were given to the store together, any number of
	 * them at a time. Any thread; not to wait.
	 */
	@FunctionalInterface
	interface Completion {

		/**
		 * The store is done with some of them.
		 * @param first index of the first one
		 * @param results of that and those behind it, in their order
		 */
		void done(int first, List<Completed> results);

	}

	/** The message was not taken, or it is not known yet that it is durable. */
	final class StoreUnavailableException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		public StoreUnavailableException(String message, Throwable cause) {
			super(message, cause);
		}

		public StoreUnavailableException(String message) {
			super(message);
		}

	}

	/** The store will never take the message. */
	final class MessageTooLargeException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		public MessageTooLargeException(String message, Throwable cause) {
			super(message, cause);
		}

	}

}
