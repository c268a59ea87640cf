package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.SessionState;

/**
 * The note about a session at the beginning of a log's segment: the length of the
 * session's id (1 byte), the id, when its last message was stored in milliseconds since
 * the epoch (8), and its {@linkplain SessionState#encode state}.
 */
final class SessionNote {

	private SessionNote() {
	}

	static byte[] of(ByteString session, SessionState state, long storedMillis) {
		byte[] encoded = state.encode();
		return ByteBuffer.allocate(1 + session.size() + Long.BYTES + encoded.length)
			.put((byte) session.size())
			.put(session.asReadOnlyByteBuffer())
			.putLong(storedMillis)
			.put(encoded)
			.array();
	}

	/**
	 * Reads a note.
	 * @throws IOException if the file cannot be read, or if this is not such a note
	 */
	static void read(SegmentReader reader, SegmentReader.Whole note, KnownSessions sessions) throws IOException {
		ByteBuffer body = ByteBuffer.wrap(reader.read(note, 0, note.length()));
		try {
			ByteString session = ByteString.copyFrom(body, body.get());
			long storedMillis = body.getLong();
			byte[] state = new byte[body.remaining()];
			body.get(state);
			sessions.put(session, SessionState.decode(state), storedMillis);
		}
		catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new IOException("The note before record %d is not one of a log".formatted(note.number()), ex);
		}
	}

}
