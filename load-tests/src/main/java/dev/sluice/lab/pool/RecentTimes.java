package dev.sluice.lab.pool;

import java.util.Arrays;

/** The last so many of ever more times: who comes then takes the oldest's place. */
final class RecentTimes {

	private static final int FIRST_ROOM = 64;

	private final int most;

	private long[] nanos;

	private long count;

	/**
	 * @param most that are kept, eight bytes each
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

	/** Times since the beginning, those that are no longer kept among them. */
	long count() {
		return this.count;
	}

	/** Those that are kept, in any order. */
	long[] kept() {
		return Arrays.copyOf(this.nanos, (int) Math.min(this.count, this.nanos.length));
	}

}
