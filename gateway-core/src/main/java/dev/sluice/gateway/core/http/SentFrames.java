package dev.sluice.gateway.core.http;

import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/**
 * Reads the HTTP/2 frames that a server sends on one connection and reports the errors
 * with which it resets streams or ends the connection. The servers' codecs do both
 * without notifying the application. Holds the beginning of one frame. Not thread-safe.
 */
public final class SentFrames {

	/** A frame's length in three bytes, its type, its flags and its stream. */
	private static final int HEAD_BYTES = 9;

	private static final int TYPE_AT = 3;

	private static final int RST_STREAM = 3;

	private static final int GOAWAY = 7;

	private final IntConsumer errors;

	/** The head of a frame, and its payload up to the end of an error code. */
	private final ByteBuffer beginning = ByteBuffer.allocate(HEAD_BYTES + 2 * Integer.BYTES);

	/** Bytes of a frame behind its beginning that have not been read yet. */
	private int rest;

	/**
	 * @param errors receives each error code, including the code for no error
	 */
	public SentFrames(IntConsumer errors) {
		this.errors = errors;
	}

	/**
	 * Reads the next bytes of the connection.
	 * @param bytes whole frames or parts of them; consumed up to the limit
	 */
	public void inspect(ByteBuffer bytes) {
		while (bytes.hasRemaining()) {
			if (this.rest > 0) {
				int skipped = Math.min(this.rest, bytes.remaining());
				bytes.position(bytes.position() + skipped);
				this.rest -= skipped;
			}
			else {
				this.beginning.put(bytes.get());
				if (this.beginning.position() >= HEAD_BYTES && this.beginning.position() == HEAD_BYTES + errorBytes()) {
					endBeginning();
				}
			}
		}
	}

	/**
	 * Size of the payload up to the end of its error code; GOAWAY has a stream before it.
	 */
	private int errorBytes() {
		return switch (this.beginning.get(TYPE_AT)) {
			case RST_STREAM -> Integer.BYTES;
			case GOAWAY -> 2 * Integer.BYTES;
			default -> 0;
		};
	}

	private void endBeginning() {
		int errorBytes = errorBytes();
		if (errorBytes > 0) {
			this.errors.accept(this.beginning.getInt(HEAD_BYTES + errorBytes - Integer.BYTES));
		}
		this.rest = (this.beginning.getInt(0) >>> Byte.SIZE) - errorBytes;
		this.beginning.clear();
	}

}
