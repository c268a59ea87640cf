package dev.sluice.sink.sequence;

/**
 * Keeps the numbered messages of one stream in order: once one of them could not be
 * stored, no later message of the stream is stored. The client sends them again on its
 * next stream, starting with that one.
 */
public final class Fence {

	private volatile boolean closed;

	/**
	 * Reports that a message of the stream was not stored. Call it before the failure is
	 * reported to anyone else.
	 */
	public void close() {
		this.closed = true;
	}

	/** Whether no more messages of the stream may be stored. */
	public boolean isClosed() {
		return this.closed;
	}

}
