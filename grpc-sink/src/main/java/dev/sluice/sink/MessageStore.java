package dev.sluice.sink;

import java.util.concurrent.CompletableFuture;

/** Where messages are kept. */
@FunctionalInterface
interface MessageStore {

	/**
	 * Stores a message.
	 * @param id of the message
	 * @param payload as it is to be kept
	 * @return done once the message is durable; failed with a
	 * {@link StoreUnavailableException} if it may not be
	 */
	CompletableFuture<Void> store(byte[] id, byte[] payload);

	/** The store cannot say that it has the message; it may have it all the same. */
	final class StoreUnavailableException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		StoreUnavailableException(String message, Throwable cause) {
			super(message, cause);
		}

		StoreUnavailableException(String message) {
			super(message);
		}

	}

	/** The store will never take the message. */
	final class MessageTooLargeException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		MessageTooLargeException(String message, Throwable cause) {
			super(message, cause);
		}

	}

}
