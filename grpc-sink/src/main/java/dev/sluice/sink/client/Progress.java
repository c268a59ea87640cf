package dev.sluice.sink.client;

import java.util.concurrent.atomic.LongAdder;

import dev.sluice.sink.client.spool.Spool;

/**
 * Counts what a client has done since it was opened. The event loop writes, and any
 * thread may read.
 * <p>
 * Spooled at the opening + appended since = acknowledged + refused + damaged + spooled
 * now.
 */
final class Progress {

	final LongAdder timeouts = new LongAdder();

	final LongAdder disconnections = new LongAdder();

	final LongAdder dropped = new LongAdder();

	final LongAdder sentBytes = new LongAdder();

	final LongAdder acknowledged = new LongAdder();

	/** Messages refused by the sink, or because they are too large for it. */
	final LongAdder refused = new LongAdder();

	private final LongAdder sent = new LongAdder();

	private final LongAdder repeated = new LongAdder();

	/** The greatest message number sent so far. Confined to the event loop. */
	private long greatest = -1;

	private volatile boolean connected;

	private volatile int inFlight;

	private volatile int window = 1;

	/**
	 * Counts a message sent. Messages are first sent in the order of their numbers, so a
	 * number not above the greatest one is a repeat.
	 */
	void sent(long number) {
		this.sent.increment();
		if (number <= this.greatest) {
			this.repeated.increment();
		}
		else {
			this.greatest = number;
		}
	}

	void show(boolean connected, int inFlight, int window) {
		this.connected = connected;
		this.inFlight = inFlight;
		this.window = window;
	}

	SinkClient.Stats stats(Spool spool) {
		Long oldest = spool.oldest();
		return new SinkClient.Stats(this.connected, this.inFlight, this.window, this.timeouts.sum(),
				this.disconnections.sum(), this.dropped.sum(), spool.size(), spool.bytes(),
				(oldest != null) ? Math.max(0, System.currentTimeMillis() - oldest) : 0, spool.damaged(),
				this.sent.sum(), this.repeated.sum(), this.sentBytes.sum(), this.acknowledged.sum(),
				this.refused.sum());
	}

}
