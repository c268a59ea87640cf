package dev.sluice.sink.client;

/**
 * What a client has done since it was opened. Counted on the event loop; any thread reads
 * the snapshot, which is that of a moment ago.
 * <p>
 * Found at the opening + taken since = acknowledged + refused + damaged + spooled. A
 * refused message that is damaged later counts twice.
 */
final class Progress {

	long timeouts;

	long disconnections;

	long dropped;

	/** Messages that were refused: by the sink, or because they are too large for it. */
	long refused;

	private long sent;

	private long repeated;

	private long sentBytes;

	private long acknowledged;

	/** The greatest number that was ever sent. */
	private long greatest = -1;

	private volatile Snapshot snapshot = new Snapshot(false, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);

	/** What it looked like a moment ago. */
	record Snapshot(boolean connected, int inFlight, int window, long timeouts, long disconnections, long dropped,
			long sent, long repeated, long sentBytes, long acknowledged, long refused) {
	}

	/**
	 * A message goes out. Messages go for the first time in the order of their numbers,
	 * so one that is behind another is a repeat.
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
