package dev.sluice.sink.sequence;

import com.google.protobuf.ByteString;

/**
 * A client's session, as the client announces it.
 *
 * @param id {@value #MIN_ID_BYTES} to {@value #MAX_ID_BYTES} bytes, drawn at random
 * @param firstUnsettled the first sequence that may still come
 * @param ageMillis how long ago the client took that message, in milliseconds
 */
public record ClientSession(ByteString id, long firstUnsettled, long ageMillis) {

	/** The least that nobody guesses. */
	public static final int MIN_ID_BYTES = 8;

	public static final int MAX_ID_BYTES = 16;

	/** Whether a client may announce it. */
	public boolean isValid() {
		return this.id.size() >= MIN_ID_BYTES && this.id.size() <= MAX_ID_BYTES && this.firstUnsettled >= 0
				&& this.ageMillis >= 0;
	}

}
