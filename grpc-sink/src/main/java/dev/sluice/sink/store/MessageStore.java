package dev.sluice.sink.store;

import java.util.concurrent.CompletableFuture;

/** Keeps messages, each as often as it is given. */
public interface MessageStore {

	/**
	 * Stores a message. May wait a bounded time for room.
	 * @param id of the message
	 * @param payload as it is to be kept
	 * @return done once the message is durable, with the number of the part of the store
	 * that has it; failed with a {@link StoreUnavailableException} if it is not stored
	 * now and with a {@link MessageTooLargeException} if it never will be
	 */
	CompletableFuture<Integer> store(byte[] id, byte[] payload);

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
