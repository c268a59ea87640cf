package dev.sluice.sink.client;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent.
 *
 * @param id 1 to 64 bytes; the sink stores a repeat of it once. Null: the client makes
 * one
 * @param payload not to be changed any more
 */
public record Message(@Nullable ByteString id, byte[] payload) {

	private static final int MAX_ID_BYTES = 64;

	/**
	 * @throws IllegalArgumentException if the id is empty or too long
	 */
	public Message {
		if (id != null && (id.isEmpty() || id.size() > MAX_ID_BYTES)) {
			throw new IllegalArgumentException(
					"An id has 1 to %d bytes, this one %d".formatted(MAX_ID_BYTES, id.size()));
		}
	}

}
