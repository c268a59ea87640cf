package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Spool.Entry;

/**
 * The format of the bodies of a spool's records. An entry has the time when it was
 * appended (8 bytes), the length of its id (1), the id and the payload; the length is 0
 * for an id that the spool made. If 128 is added to the length, the length of a key (1)
 * and the key come before the payload.
 */
final class EntryFormat {

	/** Length of an entry's record without its id, key and payload. */
	private static final int HEAD_BYTES = 9;

	private static final int HAS_KEY = 0x80;

	private EntryFormat() {
	}

	static byte[][] encode(Message message, long appendedAt) {
		ByteString id = message.id();
		int idBytes = (id != null) ? id.size() : 0;
		int keyBytes = message.key().isEmpty() ? 0 : 1 + message.key().size();
		ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES + idBytes + keyBytes)
			.putLong(appendedAt)
			.put((byte) (idBytes | ((keyBytes > 0) ? HAS_KEY : 0)));
		if (id != null) {
			head.put(id.asReadOnlyByteBuffer());
		}
		if (keyBytes > 0) {
			head.put((byte) message.key().size()).put(message.key().asReadOnlyByteBuffer());
		}
		return new byte[][] { head.array(), message.payload() };
	}

	static Entry decode(long number, long session, byte[] bytes) {
		ByteBuffer body = ByteBuffer.wrap(bytes);
		long appendedAt = body.getLong();
		int length = body.get() & 0xFF;
		byte[] id = new byte[length & ~HAS_KEY];
		body.get(id);
		ByteString key = ((length & HAS_KEY) != 0) ? ByteString.copyFrom(body, body.get() & 0xFF) : ByteString.EMPTY;
		byte[] payload = new byte[body.remaining()];
		body.get(payload);
		return new Entry(number, session, (id.length > 0) ? ByteString.copyFrom(id) : MemorySpool.id(session, number),
				key, payload, appendedAt);
	}

}
