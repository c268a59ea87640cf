package dev.sluice.sink.client;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent.
 *
 * @param id 1 to 64 bytes; the sink stores a repeat of it once. Null: the client makes
 * one
 * @param payload not to be changed any more
 * @param key up to 128 bytes: messages of a client with the same key are stored in the
 * order in which they were sent, in one partition. Empty: the client decides
 */
public record Message(@Nullable ByteString id, byte[] payload, ByteString key) {

	private static final int MAX_ID_BYTES = 64;

	private static final int MAX_KEY_BYTES = 128;

	/**
	 * @throws IllegalArgumentException if the id is empty or too long, or the key too
	 * long
	 */
	public Message {
		if (key.size() > MAX_KEY_BYTES) {
			throw new IllegalArgumentException(
					"A key has %d bytes at most, this one %d".formatted(MAX_KEY_BYTES, key.size()));
		}
		if (id != null && (id.isEmpty() || id.size() > MAX_ID_BYTES)) {
			throw new IllegalArgumentException(
					"An id has 1 to %d bytes, this one %d".formatted(MAX_ID_BYTES, id.size()));
		}
	}

	/** A message without a key. */
	public Message(@Nullable ByteString id, byte[] payload) {
		this(id, payload, ByteString.EMPTY);
	}

}
