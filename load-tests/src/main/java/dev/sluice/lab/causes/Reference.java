package dev.sluice.lab.causes;

/** The reference's measurements of its synchronous mode. */
final class Reference {

	/** Orders per second at N = 1,000: 3,083 a minute. */
	static final double MANY_PER_SECOND = 3_083 / 60.0;

	/**
	 * At N = 1,000 an order took 18,833 ms on average, and all of them 1,000 / 3,083
	 * minutes.
	 */
	static final double TOGETHER = 18.833 / (1_000 / MANY_PER_SECOND);

	private Reference() {
	}

}
