package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.backend.Attempt.Throttled;

/**
 * When, how often and until which age an order is retried.
 *
 * @param backoff the wait after a failure
 * @param maxAttempts counted failures that make an order a dead letter
 * @param maxRetryAfter the longest wait that a backend may ask for
 * @param maxAge the age from which an order is not retried; zero means no limit
 */
record RetryPolicy(Backoff backoff, int maxAttempts, Duration maxRetryAfter, Duration maxAge) {

	/**
	 * The wait after a throttled attempt: never shorter than the backend asks for, and
	 * spread, so that orders throttled together are not retried together.
	 * @param throttled throttled attempts of the order in a row, at least 1
	 */
	Duration after(Throttled attempt, int throttled) {
		Duration asked = attempt.retryAfter();
		return ((asked.compareTo(this.maxRetryAfter) > 0) ? this.maxRetryAfter : asked)
			.plus(this.backoff.after(throttled));
	}

	boolean isTooOld(Instant acceptedAt, Instant now) {
		return !this.maxAge.isZero() && Duration.between(acceptedAt, now).compareTo(this.maxAge) >= 0;
	}

}
