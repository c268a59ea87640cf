package dev.sluice.sink.store;

import java.util.List;
import java.util.function.Consumer;

import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.Place;
import io.grpc.Status;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Stores messages: those with a place once, others as often as it is asked to. */
public interface MessageStore {

	/**
	 * Stores messages. Those with a place are of one stream and session, and are stored
	 * in order, each unless it is already stored. This does not block, so a connection's
	 * thread may call it. If a message is not stored now, its place's fence is closed;
	 * messages behind a closed fence are not stored.
	 * <p>
	 * A message without a place is alone. It may block for a bounded time if there is no
	 * room.
	 * @param messages messages to store, at least one
	 * @param completion receives the results of all messages, in order, once they are
	 * durable or have failed. Any thread may call it, so it must not block
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

	/** A message, with its place in a session if it has one. */
	record Placed(@Nullable Place place, Content content) {
	}

	/**
	 * The result of storing a message: one of the two components is null.
	 *
	 * @param failure what the client is told: {@code UNAVAILABLE} if the message is not
	 * stored now, or nobody knows whether it is; {@code RESOURCE_EXHAUSTED} if it never
	 * will be; {@code ALREADY_EXISTS} if another message has its place or id;
	 * {@code FAILED_PRECONDITION} if the store cannot tell whether it is stored, because
	 * it may have forgotten the session, or a copy of the client uses it too
	 */
	record Completed(OnceStore.@Nullable Outcome outcome, @Nullable Status failure) {

		public static final Completed STORED = new Completed(OnceStore.Outcome.STORED, null);

		public static final Completed REPEATED = new Completed(OnceStore.Outcome.REPEATED, null);

		/** The message will never be stored. */
		static Completed refused(Status.Code code, String description) {
			return new Completed(null, code.toStatus().withDescription(description));
		}

		/**
		 * The message is not stored now.
		 * @param why one line for the log; clients do not see it
		 */
		public static Completed notNow(String why) {
			return new Completed(null,
					Status.UNAVAILABLE
						.withDescription("The message could not be stored; resend unacknowledged messages")
						.withCause(new IllegalStateException(why)));
		}

	}

}
