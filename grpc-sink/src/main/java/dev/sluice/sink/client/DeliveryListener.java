package dev.sluice.sink.client;

import java.util.List;

import com.google.protobuf.ByteString;

/**
 * Receives the results of messages. The client's own thread calls it, so it must not
 * block. After a crash or a lost connection it may receive the result of a message again.
 */
public interface DeliveryListener {

	/** Ignores all results. */
	DeliveryListener NONE = new DeliveryListener() {
	};

	/** The sink has stored these messages. */
	default void acknowledged(List<ByteString> ids) {
	}

	/**
	 * The message is permanently refused.
	 * @param code a gRPC status code
	 */
	default void refused(ByteString id, int code, String description) {
	}

}
