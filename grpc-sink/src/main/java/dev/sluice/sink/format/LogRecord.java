package dev.sluice.sink.format;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.segment.SegmentReader;
import org.jspecify.annotations.Nullable;

/**
 * The body of a log's record, of a message. In this order, numbers big-endian: when it
 * was stored, in milliseconds since the epoch (8 bytes); what follows (1): 1 = a client,
 * 2 = a sequence, 4 = a key; the {@linkplain Content#checksum checksum} (4); the client
 * (8); the length of the session's id (1), the session's id, the sequence (8); the key's
 * length (1), the key; the id's length (1), the id; the payload.
 *
 * @param storedMillis when it was stored, in milliseconds since the epoch
 * @param client whose id it is; 0 = that of all clients without a certificate
 * @param session whose sequence it is; null if it has none
 * @param sequence in the session, from 1; 0 = none
 * @param checksum of the content
 * @param key for the partition; empty = none
 * @param id of the message
 * @param headBytes bytes of the body before the payload
 */
public record LogRecord(long storedMillis, long client, @Nullable ByteString session, long sequence, int checksum,
		ByteString key, ByteString id, int headBytes) {

	private static final int HAS_CLIENT = 1;

	private static final int HAS_SEQUENCE = 2;

	private static final int HAS_KEY = 4;

	/** All numbers and lengths, and a session, a key and an id of the greatest length. */
	private static final int MAX_HEAD_BYTES = 32 + 16 + 128 + 64;

	/**
	 * What comes before the payload.
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
	 * Reads what comes before the payload.
	 * @throws IOException if it cannot be read, or is no such record
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
			throw new IOException("Record %d is none of a log".formatted(whole.number()), ex);
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
