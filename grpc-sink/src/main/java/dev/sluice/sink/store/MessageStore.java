package dev.sluice.sink.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Stores messages: those with a place once, others as often as it is asked to. */
public interface MessageStore {

	/**
	 * Stores a message. May block for a bounded time if there is no room. Never throws.
	 * @param content content to store
	 * @return completes once the message is durable; fails with a
	 * {@link StoreUnavailableException} if the message is not stored now, and with a
	 * {@link MessageTooLargeException} if it never will be
	 */
	CompletableFuture<Void> store(Content content);

	/**
	 * Stores messages of one stream and session in order, each unless it is already
	 * stored. Does not block, so a connection's thread may call it. If a message is not
	 * stored now, its place's fence is closed; messages behind a closed fence are not
	 * stored.
	 * @param messages messages to store, at least one
	 * @param completion receives the results of all messages, in order, once they are
	 * durable or have failed. Any thread may call it, so it must not block. A failure is
	 * as in {@link #store(Content)}, or a {@link SessionForgottenException} if the store
	 * cannot tell whether the message is already stored, or a
	 * {@link ContentDiffersException} if another message has its place
	 */
	void store(List<Placed> messages, Consumer<List<Completed>> completion);

	/**
	 * The topic that messages are stored in now, another one once it was deleted and
	 * created again; null while the store accepts none. As long as it is null, the broker
	 * could create the topic itself.
	 */
	@Nullable Uuid topic();

	/** Whether the store accepts messages now. */
	default boolean ready() {
		return topic() != null;
	}

	/** A message of a session, with its place. */
	record Placed(Place place, Content content) {
	}

	/**
	 * The result of storing a message: one of the two components is null.
	 *
	 * @param failure as in {@link #store(List, Completion)}
	 */
	record Completed(OnceStore.@Nullable Outcome outcome, @Nullable Throwable failure) {
	}

	/** The message was not accepted, or it is not known whether it is durable. */
	final class StoreUnavailableException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		public StoreUnavailableException(String message, Throwable cause) {
			super(message, cause);
		}

		public StoreUnavailableException(String message) {
			super(message);
		}

	}

	/** The store will never accept the message. */
	final class MessageTooLargeException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		public MessageTooLargeException(String message, Throwable cause) {
			super(message, cause);
		}

	}

}
