package dev.sluice.sink.client;

import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Message;

/**
 * Receives the results of messages. The client's own thread calls it, so it must not
 * block. After a crash or a lost connection it may receive the result of a message again.
 */
public interface DeliveryListener {

	/** Ignores all results, also refused messages: the client logs and counts them. */
	DeliveryListener NONE = new DeliveryListener() {
	};

	/** The sink has stored these messages. */
	default void acknowledged(List<ByteString> ids) {
	}

	/**
	 * The message is permanently refused. When this method returns, the client no longer
	 * has it; if it throws, the message is sent again.
	 * @param message the message, with its id
	 * @param code a gRPC status code
	 * @param description the reason, cut to a line of 1,000 characters
	 */
	default void refused(Message message, int code, String description) {
	}

}
