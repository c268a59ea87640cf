package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.FailureReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RetryPolicyTests {

	private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

	private final Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(8), () -> 0.5);

	private final RetryPolicy retries = new RetryPolicy(this.backoff, 8, Duration.ofMinutes(1), Duration.ofHours(1));

	@Test
	void waitsNoLongerThanItsBound() {
		assertThat(this.retries.after(throttled(Duration.ofSeconds(Long.MAX_VALUE)), 9))
			.isEqualTo(Duration.ofSeconds(64));
	}

	@Test
	void anOrderIsTooOldFromTheMaximumAgeOn() {
		assertThat(this.retries.isTooOld(NOW.minusSeconds(3_599), NOW)).isFalse();
		assertThat(this.retries.isTooOld(NOW.minusSeconds(3_600), NOW)).isTrue();
		assertThat(new RetryPolicy(this.backoff, 8, Duration.ZERO, Duration.ZERO).isTooOld(Instant.EPOCH, NOW))
			.isFalse();
	}

	private static Throttled throttled(Duration retryAfter) {
		return new Throttled(FailureReason.throttled("429"), retryAfter);
	}

}
