package dev.sluice.sink.client.spool;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * A message to send.
 *
 * @param id 1 to 64 bytes; the sink stores repeats of it once. null = the client makes
 * one
 * @param payload must not be changed afterwards
 * @param key up to 128 bytes: messages of a client with the same key are stored in one
 * partition, in the order in which they were sent. Empty = no key
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
					"A key must have at most %s bytes, this one has %s".formatted(MAX_KEY_BYTES, key.size()));
		}
		if (id != null && (id.isEmpty() || id.size() > MAX_ID_BYTES)) {
			throw new IllegalArgumentException(
					"An id must have 1 to %s bytes, this one has %s".formatted(MAX_ID_BYTES, id.size()));
		}
	}

	/** A message without a key. */
	public Message(@Nullable ByteString id, byte[] payload) {
		this(id, payload, ByteString.EMPTY);
	}

}
