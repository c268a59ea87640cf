package dev.sluice.sink.format;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.segment.SegmentReader;
import org.jspecify.annotations.Nullable;

/**
 * The body of a log record that holds a message. The fields in order, numbers big-endian:
 * when it was stored, in milliseconds since the epoch (8 bytes); flags for the optional
 * fields (1): 1 = client, 2 = session and sequence, 4 = key; the
 * {@linkplain Content#checksum checksum} (4); the client (8); the length of the session's
 * id (1), the session's id, the sequence (8); the key's length (1), the key; the id's
 * length (1), the id; the payload.
 *
 * @param storedMillis when it was stored, in milliseconds since the epoch
 * @param client owner of the id; 0 = all clients without a certificate
 * @param session session of the sequence; null if it has none
 * @param sequence number in the session, from 1; 0 = none
 * @param checksum checksum of the content
 * @param key routing key; empty = none
 * @param id id of the message
 * @param headBytes length of the body before the payload, in bytes
 */
public record LogRecord(long storedMillis, long client, @Nullable ByteString session, long sequence, int checksum,
		ByteString key, ByteString id, int headBytes) {

	private static final int HAS_CLIENT = 1;

	private static final int HAS_SEQUENCE = 2;

	private static final int HAS_KEY = 4;

	/** All numbers and lengths, plus the longest session, key and id. */
	private static final int MAX_HEAD_BYTES = 32 + 16 + 128 + 64;

	/**
	 * Encodes the fields before the payload.
	 * @param session null if the message has no sequence
	 */
	public static byte[] head(long storedMillis, Content content, @Nullable ByteString session, long sequence) {
		ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_BYTES);
		int flags = ((content.client() != 0) ? HAS_CLIENT : 0) | ((session != null) ? HAS_SEQUENCE : 0)
				| (content.key().isEmpty() ? 0 : HAS_KEY);
		head.putLong(storedMillis).put((byte) flags).putInt(content.checksum());
		if (content.client() != 0) {
			head.putLong(content.client());
		}
		if (session != null) {
			put(head, session);
			head.putLong(sequence);
		}
		if (!content.key().isEmpty()) {
			put(head, content.key());
		}
		put(head, content.id());
		byte[] bytes = new byte[head.position()];
		head.flip().get(bytes);
		return bytes;
	}

	private static void put(ByteBuffer head, ByteString bytes) {
		head.put((byte) bytes.size());
		bytes.copyTo(head);
	}

	/**
	 * Reads the fields before the payload.
	 * @throws IOException if the file cannot be read, or if this is not such a record
	 */
	public static LogRecord read(SegmentReader reader, SegmentReader.Whole whole) throws IOException {
		ByteBuffer head = ByteBuffer.wrap(reader.read(whole, 0, Math.min(whole.length(), MAX_HEAD_BYTES)));
		try {
			long storedMillis = head.getLong();
			int flags = head.get();
			int checksum = head.getInt();
			long client = ((flags & HAS_CLIENT) != 0) ? head.getLong() : 0;
			ByteString session = ((flags & HAS_SEQUENCE) != 0) ? bytes(head) : null;
			long sequence = (session != null) ? head.getLong() : 0;
			ByteString key = ((flags & HAS_KEY) != 0) ? bytes(head) : ByteString.EMPTY;
			ByteString id = bytes(head);
			return new LogRecord(storedMillis, client, session, sequence, checksum, key, id, head.position());
		}
		catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new IOException("Record %d is not a log record".formatted(whole.number()), ex);
		}
	}

	private static ByteString bytes(ByteBuffer head) {
		return ByteString.copyFrom(head, head.get() & 0xFF);
	}

	/** Reads the payload of this record. */
	public byte[] payload(SegmentReader reader, SegmentReader.Whole whole) throws IOException {
		return reader.read(whole, this.headBytes, whole.length() - this.headBytes);
	}

}
