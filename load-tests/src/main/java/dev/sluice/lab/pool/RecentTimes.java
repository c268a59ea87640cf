package dev.sluice.lab.pool;

import java.util.Arrays;

/** A ring buffer of the most recent times; a new one replaces the oldest. */
final class RecentTimes {

	private static final int FIRST_ROOM = 64;

	private final int most;

	private long[] nanos;

	private long count;

	/**
	 * @param most maximum number of times to keep, eight bytes each
	 */
	RecentTimes(int most) {
		this.most = most;
		this.nanos = new long[Math.min(most, FIRST_ROOM)];
	}

	void add(long time) {
		if (this.count == this.nanos.length && this.nanos.length < this.most) {
			this.nanos = Arrays.copyOf(this.nanos, (int) Math.min(2L * this.nanos.length, this.most));
		}
		this.nanos[(int) (this.count % this.nanos.length)] = time;
		this.count++;
	}

	/** Number of times since the start, including those no longer kept. */
	long count() {
		return this.count;
	}

	/** The times that are kept, in any order. */
	long[] kept() {
		return Arrays.copyOf(this.nanos, (int) Math.min(this.count, this.nanos.length));
	}

}
