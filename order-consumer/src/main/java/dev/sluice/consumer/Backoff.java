package dev.sluice.consumer;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The wait after a failure: exponential, with full jitter, so that orders that failed
 * together are not retried together.
 *
 * @param initial upper bound of the first wait
 * @param max maximum of the upper bound, which doubles with each failure
 * @param random returns 0 (inclusive) to 1 (exclusive); called by any thread
 * @see <a href=
 * "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">Exponential
 * Backoff And Jitter</a>
 */
public record Backoff(Duration initial, Duration max, DoubleSupplier random) {

	/** After more doublings, even a nanosecond exceeds any {@code max}. */
	private static final int MAX_DOUBLINGS = 62;

	/**
	 * @param failures consecutive failures, at least 1
	 */
	public Duration after(int failures) {
		int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
		long limitNanos = this.max.toNanos();
		long initialNanos = this.initial.toNanos();
		long bound = (initialNanos > (limitNanos >> doublings)) ? limitNanos : initialNanos << doublings;
		return Duration.ofNanos((long) (bound * this.random.getAsDouble()));
	}

}
