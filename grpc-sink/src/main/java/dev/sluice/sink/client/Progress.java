package dev.sluice.sink.client;

/**
 * Counts what a client has done since it was opened. Confined to the event loop, except
 * for {@link #snapshot()}, which any thread may read and which is slightly out of date.
 * <p>
 * Spooled at the opening + appended since = acknowledged + refused + damaged + spooled
 * now.
 */
final class Progress {

	long timeouts;

	long disconnections;

	long dropped;

	/** Messages refused by the sink, or because they are too large for it. */
	long refused;

	private long sent;

	private long repeated;

	private long sentBytes;

	private long acknowledged;

	/** The greatest message number sent so far. */
	private long greatest = -1;

	private volatile Snapshot snapshot = new Snapshot(false, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);

	/** The counters and the state at one moment. */
	record Snapshot(boolean connected, int inFlight, int window, long timeouts, long disconnections, long dropped,
			long sent, long repeated, long sentBytes, long acknowledged, long refused) {
	}

	/**
	 * Counts a message sent. Messages are first sent in the order of their numbers, so a
	 * number not above the greatest one is a repeat.
	 */
	void sent(long number) {
		this.sent++;
		if (number <= this.greatest) {
			this.repeated++;
		}
		else {
			this.greatest = number;
		}
	}

	void sentBytes(int bytes) {
		this.sentBytes += bytes;
	}

	void acknowledged(int messages) {
		this.acknowledged += messages;
	}

	void show(boolean connected, int inFlight, int window) {
		this.snapshot = new Snapshot(connected, inFlight, window, this.timeouts, this.disconnections, this.dropped,
				this.sent, this.repeated, this.sentBytes, this.acknowledged, this.refused);
	}

	Snapshot snapshot() {
		return this.snapshot;
	}

}
