package dev.sluice.consumer.limiter;

/**
 * How many orders may be in delivery at once. It shrinks by a factor when the backend
 * throttles, at most once per round trip, and grows back by one per round trip, never
 * above the maximum and never below 1. Thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5681#section-3.1">TCP congestion
 * control, whose additive increase and multiplicative decrease this is</a>
 */
final class DeliveryLimit {

	private static final double SHRINK = 0.7;

	private final int max;

	private double limit;

	private boolean shrunk;

	private long shrunkAtNanos;

	DeliveryLimit(int max) {
		this.max = max;
		this.limit = max;
	}

	/**
	 * The backend throttled an attempt.
	 * @param beganNanos when the attempt began: one that began before the last shrinking
	 * says nothing about the limit of now
	 */
	synchronized void throttled(long beganNanos, long nowNanos) {
		if (!this.shrunk || beganNanos - this.shrunkAtNanos >= 0) {
			this.shrunk = true;
			this.shrunkAtNanos = nowNanos;
			this.limit = Math.max(1, this.limit * SHRINK);
		}
	}

	/** The backend processed an order. */
	synchronized void processed() {
		this.limit = Math.min(this.max, this.limit + 1 / this.limit);
	}

	synchronized int current() {
		return (int) this.limit;
	}

}
