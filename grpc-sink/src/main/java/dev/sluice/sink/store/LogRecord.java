package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionState;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of a log's records. Of a message: the id's length (1 byte), the id and the
 * payload. Where the message has a place, 128 is added to the length, and between it and
 * the id come the length of the session's id (1), the session's id, the sequence (8) and
 * the {@linkplain Place#checksum checksum} (4). Of a note: the length of a session's id
 * (1), the id, when something of it was stored last in milliseconds since the epoch (8),
 * and its {@linkplain SessionState#encode state}.
 *
 * @param id of the message
 * @param place of the message; null if it has none
 */
record LogRecord(ByteString id, @Nullable Placed place) {

	private static final int HAS_PLACE = 0x80;

	/** The length of an id, of a session's id, sequence and checksum. */
	private static final int PLACE_BYTES = 14;

	/** A place, and the checksum of what is there. */
	record Placed(ByteString session, long sequence, int checksum) {
	}

	/**
	 * What comes before the id.
	 * @param checksum of id and payload; ignored without a place
	 */
	static byte[] head(@Nullable Place place, int checksum, byte[] id) {
		if (place == null) {
			return new byte[] { (byte) id.length };
		}
		ByteString session = place.session().id();
		return ByteBuffer.allocate(PLACE_BYTES + session.size())
			.put((byte) (id.length | HAS_PLACE))
			.put((byte) session.size())
			.put(session.asReadOnlyByteBuffer())
			.putLong(place.sequence())
			.putInt(checksum)
			.array();
	}

	/** Reads what {@link #head} and the id have. */
	static LogRecord read(SegmentReader reader, SegmentReader.Whole whole) throws IOException {
		int at = 0;
		int first = byteAt(reader, whole, at++);
		Placed placed = null;
		if ((first & HAS_PLACE) != 0) {
			int length = byteAt(reader, whole, at++);
			ByteBuffer place = bytesAt(reader, whole, at, length + Long.BYTES + Integer.BYTES);
			at += place.remaining();
			placed = new Placed(ByteString.copyFrom(place, length), place.getLong(), place.getInt());
		}
		return new LogRecord(ByteString.copyFrom(bytesAt(reader, whole, at, first & ~HAS_PLACE)), placed);
	}

	private static int byteAt(SegmentReader reader, SegmentReader.Whole whole, int at) throws IOException {
		return bytesAt(reader, whole, at, 1).get() & 0xFF;
	}

	private static ByteBuffer bytesAt(SegmentReader reader, SegmentReader.Whole whole, int at, int length)
			throws IOException {
		if (at + length > whole.length()) {
			throw new IOException("Record %d is none of a log".formatted(whole.number()));
		}
		return ByteBuffer.wrap(reader.read(whole, at, length));
	}

	/** What a segment begins with for each session. */
	static byte[] note(ByteString session, SessionState state, long storedMillis) {
		byte[] encoded = state.encode();
		return ByteBuffer.allocate(1 + session.size() + Long.BYTES + encoded.length)
			.put((byte) session.size())
			.put(session.asReadOnlyByteBuffer())
			.putLong(storedMillis)
			.put(encoded)
			.array();
	}

	/** Reads a {@link #note}. */
	static void readNote(SegmentReader reader, SegmentReader.Whole note, KnownSessions sessions) throws IOException {
		ByteBuffer body = ByteBuffer.wrap(reader.read(note, 0, note.length()));
		ByteString session = ByteString.copyFrom(body, body.get());
		long storedMillis = body.getLong();
		byte[] state = new byte[body.remaining()];
		body.get(state);
		sessions.put(session, SessionState.decode(state), storedMillis);
	}

}
