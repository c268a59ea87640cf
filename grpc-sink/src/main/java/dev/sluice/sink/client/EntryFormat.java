package dev.sluice.sink.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.Spool.Entry;
import dev.sluice.sink.client.Spool.Refused;

/**
 * The bodies of a spool's records. Of an entry: when it was appended (8 bytes), the
 * length of its id (1), the id and the payload; the length is 0 for an id that the spool
 * made. Of a refused entry: code (4), number (8) and session (8) of the entry, length of
 * the description (4), the description, and the entry.
 */
final class EntryFormat {

	/** Bytes of an entry's record beside its id and payload. */
	private static final int HEAD_BYTES = 9;

	private EntryFormat() {
	}

	static byte[][] encode(Message message, long appendedAt) {
		ByteString id = message.id();
		byte[] head = ByteBuffer.allocate(HEAD_BYTES + ((id != null) ? id.size() : 0))
			.putLong(appendedAt)
			.put((byte) ((id != null) ? id.size() : 0))
			.array();
		if (id != null) {
			id.copyTo(head, HEAD_BYTES);
		}
		return new byte[][] { head, message.payload() };
	}

	static Entry decode(long number, long session, byte[] body) {
		return decode(number, session, ByteBuffer.wrap(body));
	}

	private static Entry decode(long number, long session, ByteBuffer body) {
		long appendedAt = body.getLong();
		byte[] id = new byte[body.get()];
		body.get(id);
		byte[] payload = new byte[body.remaining()];
		body.get(payload);
		return new Entry(number, session, (id.length > 0) ? ByteString.copyFrom(id) : MemorySpool.id(session, number),
				payload, appendedAt);
	}

	static byte[][] encode(Entry entry, int code, String description) {
		byte[] words = description.getBytes(StandardCharsets.UTF_8);
		byte[] head = ByteBuffer.allocate(24 + words.length)
			.putInt(code)
			.putLong(entry.number())
			.putLong(entry.session())
			.putInt(words.length)
			.put(words)
			.array();
		byte[][] parts = encode(new Message(entry.id(), entry.payload()), entry.appendedAt());
		return new byte[][] { head, parts[0], parts[1] };
	}

	static Refused decodeRefused(long number, byte[] bytes) {
		ByteBuffer body = ByteBuffer.wrap(bytes);
		int code = body.getInt();
		long entryNumber = body.getLong();
		long session = body.getLong();
		byte[] words = new byte[body.getInt()];
		body.get(words);
		return new Refused(number, decode(entryNumber, session, body), code, new String(words, StandardCharsets.UTF_8));
	}

}
