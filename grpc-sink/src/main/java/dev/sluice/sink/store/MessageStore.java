package dev.sluice.sink.store;

import java.util.concurrent.CompletableFuture;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;

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

	/** Whether messages are taken now. */
	boolean ready();

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
