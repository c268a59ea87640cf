package dev.sluice.sink.sequence;

import com.google.protobuf.ByteString;

/**
 * A session as its client announces it.
 *
 * @param id {@value #MIN_ID_BYTES} to {@value #MAX_ID_BYTES} bytes, drawn at random
 * @param firstUnsettled the lowest sequence that may still come
 * @param ageMillis time since the client accepted that message, in milliseconds
 * @param firstNew the lowest sequence that the client has not sent before; 0 = unknown
 */
public record ClientSession(ByteString id, long firstUnsettled, long ageMillis, long firstNew) {

	/** The shortest id that cannot be guessed. */
	public static final int MIN_ID_BYTES = 8;

	public static final int MAX_ID_BYTES = 16;

	/** A session of which it is unknown which messages were sent before. */
	public ClientSession(ByteString id, long firstUnsettled, long ageMillis) {
		this(id, firstUnsettled, ageMillis, 0);
	}

	/** Whether a client may announce it. */
	public boolean isValid() {
		return this.id.size() >= MIN_ID_BYTES && this.id.size() <= MAX_ID_BYTES && this.firstUnsettled >= 0
				&& this.ageMillis >= 0 && this.firstNew >= 0;
	}

	/** This session, for a message that its stream had before. */
	public ClientSession ofRepeat() {
		return new ClientSession(this.id, this.firstUnsettled, this.ageMillis);
	}

}
