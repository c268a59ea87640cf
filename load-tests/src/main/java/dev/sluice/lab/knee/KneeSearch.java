package dev.sluice.lab.knee;

import java.util.OptionalDouble;

import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest rate that holds: doubles the rate until one does not hold,
 * then halves the distance, on a logarithmic scale, until the two are close enough. The
 * first rate that does not hold is tried once more, because a disturbance there would
 * spoil all later steps.
 */
final class KneeSearch {

	/** The lowest rate that is tried if the first does not hold, per second. */
	static final double LEAST = 2;

	/** The highest rate that is tried, per second. */
	static final double MOST = 12_800;

	/** Slightly below 5 %, so that the last two rates differ by at most 5 %. */
	static final double PRECISION = 0.049;

	private double next;

	private @Nullable Double held;

	private @Nullable Double failed;

	private boolean doubted;

	/** A search that tries this rate first. */
	KneeSearch(double first) {
		this.next = first;
	}

	/** The next rate to try; empty when the search is over. */
	OptionalDouble next() {
		if (this.held != null && this.failed != null) {
			return (this.failed <= this.held * (1 + PRECISION)) ? OptionalDouble.empty()
					: OptionalDouble.of(Math.sqrt(this.held * this.failed));
		}
		boolean over = (this.held != null && this.held >= MOST) || (this.failed != null && this.failed <= LEAST);
		return over ? OptionalDouble.empty() : OptionalDouble.of(this.next);
	}

	/** Reports whether the rate held. */
	void record(double rate, boolean holds) {
		if (holds) {
			this.held = rate;
			this.next = Math.min(rate * 2, MOST);
		}
		else if (this.failed == null && !this.doubted) {
			this.doubted = true;
		}
		else {
			this.failed = rate;
			this.next = Math.max(rate / 2, LEAST);
		}
	}

	@Nullable Double held() {
		return this.held;
	}

	@Nullable Double failed() {
		return this.failed;
	}

}
