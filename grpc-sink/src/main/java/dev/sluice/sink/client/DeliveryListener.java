package dev.sluice.sink.client;

import java.util.List;

import com.google.protobuf.ByteString;

/**
 * Hears what came of messages. Called by the client's own thread: it must not wait. After
 * a crash or a lost connection it may hear of a message again.
 */
public interface DeliveryListener {

	/** Hears nothing. */
	DeliveryListener NONE = new DeliveryListener() {
	};

	/** The sink has these. */
	default void acknowledged(List<ByteString> ids) {
	}

	/**
	 * The sink will never take this one.
	 * @param code a gRPC status code
	 */
	default void refused(ByteString id, int code, String description) {
	}

}
