package dev.sluice.lab.load;

import java.time.Duration;

import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.plan.Mode;

/**
 * The load that all parts send together, set by the coordinator. Requests are assigned to
 * the parts in turn, so that together they are spaced as evenly as those of one client.
 *
 * @param requestsPerSecond rate of all parts together
 * @param seconds time for which requests are sent
 * @param mode of the orders
 * @param prefix start of the idempotency keys, never used before at this system
 * @param startNanos when the first request of all is due, by the coordinator's clock
 */
record Plan(double requestsPerSecond, int seconds, Mode mode, String prefix, long startNanos) {

	/** Time to wait for answers after the last request. */
	static final Duration PATIENCE = Duration.ofSeconds(15);

	private static final int MAX_OUTSTANDING = 20_000;

	/**
	 * A part's share.
	 * @param duration time for which it is sent
	 * @param patience time to wait for answers afterwards
	 */
	OpenLoad share(Part part, Duration duration, Duration patience) {
		return new OpenLoad(this.requestsPerSecond / part.of(), duration, patience, MAX_OUTSTANDING);
	}

	/** When a part's first request is due, by the coordinator's clock. */
	long startNanos(Part part) {
		return this.startNanos + Math.round((part.number() - 1) * 1e9 / this.requestsPerSecond);
	}

	/** Length of the load. */
	Duration duration() {
		return Duration.ofSeconds(this.seconds);
	}

}
