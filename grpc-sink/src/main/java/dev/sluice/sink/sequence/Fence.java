package dev.sluice.sink.sequence;

import com.google.errorprone.annotations.ThreadSafe;

/**
 * Keeps the numbered messages of one stream in their order: once one of them could not be
 * stored, no message of the stream behind it is. The client sends them again on its next
 * stream, beginning with that one.
 */
@ThreadSafe
public final class Fence {

	private volatile boolean closed;

	/**
	 * A message of the stream was not stored. To be called before anybody hears of it.
	 */
	public void close() {
		this.closed = true;
	}

	/** Whether nothing of the stream is to be stored any more. */
	public boolean isClosed() {
		return this.closed;
	}

}
