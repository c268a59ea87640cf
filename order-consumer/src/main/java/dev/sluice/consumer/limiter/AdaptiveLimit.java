package dev.sluice.consumer.limiter;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The number of orders that may be in delivery at once. It shrinks by a factor when the
 * backend throttles, at most once per round trip, and grows by one per round trip, within
 * 1 and the maximum.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5681#section-3.1">TCP congestion
 * control, whose additive increase and multiplicative decrease this is</a>
 */
@ThreadSafe
final class AdaptiveLimit {

	private static final double SHRINK = 0.7;

	private final int max;

	@GuardedBy("this")
	private double limit;

	@GuardedBy("this")
	private boolean shrunk;

	@GuardedBy("this")
	private long shrunkAtNanos;

	AdaptiveLimit(int max) {
		this.max = max;
		this.limit = max;
	}

	/**
	 * The backend throttled an attempt.
	 * @param beganNanos when the attempt began; the limit ignores one that began before
	 * it last shrank
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
