package dev.sluice.lab.causes;

/** What the reference measured of its synchronous mode. */
final class Reference {

	/** Orders a minute at N = 100. */
	static final double FEW_PER_MINUTE = 7_046;

	/** Orders a minute at N = 1,000. */
	static final double MANY_PER_MINUTE = 3_083;

	/** What was left at N = 1,000 of the rate at N = 100. */
	static final double LEFT = MANY_PER_MINUTE / FEW_PER_MINUTE;

	/**
	 * At N = 1,000 an order took 18,833 ms on average, and all of them 1,000 / 3,083 min.
	 */
	static final double TOGETHER = 18.833 / (1_000 / MANY_PER_MINUTE * 60);

	private Reference() {
	}

}
