package dev.sluice.sink;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;

/** Messages for tests of the stores. */
public final class Contents {

	private Contents() {
	}

	/** A message without a key, of a client without a certificate. */
	public static Content of(String id, byte[] payload) {
		return of(ByteString.copyFromUtf8(id), payload);
	}

	public static Content of(byte[] id, byte[] payload) {
		return of(ByteString.copyFrom(id), payload);
	}

	public static Content of(ByteString id, byte[] payload) {
		return new Content(id, ByteString.EMPTY, 0, payload);
	}

	/** A message with a key. */
	public static Content of(String id, String key, byte[] payload) {
		return new Content(ByteString.copyFromUtf8(id), ByteString.copyFromUtf8(key), 0, payload);
	}

}
