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

	private final double least;

	private final double most;

	private final double precision;

	private double next;

	private @Nullable Double held;

	private @Nullable Double failed;

	private boolean doubted;

	/**
	 * @param first first rate to try
	 * @param least lowest rate to try if the first does not hold
	 * @param most highest rate to try
	 * @param precision relative precision of the result, such as 0.05
	 */
	KneeSearch(double first, double least, double most, double precision) {
		this.next = first;
		this.least = least;
		this.most = most;
		this.precision = precision;
	}

	/** The next rate to try; empty when the search is over. */
	OptionalDouble next() {
		if (this.held != null && this.failed != null) {
			return (this.failed <= this.held * (1 + this.precision)) ? OptionalDouble.empty()
					: OptionalDouble.of(Math.sqrt(this.held * this.failed));
		}
		boolean over = (this.held != null && this.held >= this.most)
				|| (this.failed != null && this.failed <= this.least);
		return over ? OptionalDouble.empty() : OptionalDouble.of(this.next);
	}

	/** Reports whether the rate held. */
	void record(double rate, boolean holds) {
		if (holds) {
			this.held = rate;
			this.next = Math.min(rate * 2, this.most);
		}
		else if (this.failed == null && !this.doubted) {
			this.doubted = true;
		}
		else {
			this.failed = rate;
			this.next = Math.max(rate / 2, this.least);
		}
	}

	@Nullable Double held() {
		return this.held;
	}

	@Nullable Double failed() {
		return this.failed;
	}

}
