package dev.sluice.consumer.limiter;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdaptiveLimitTests {

	private final AdaptiveLimit limit = new AdaptiveLimit(100);

	private long nanos;

	@Test
	void startsLowAndDoublesPerRoundTripUpToItsMaximum() {
		assertThat(new AdaptiveLimit(3).current()).isEqualTo(3);
		assertThat(this.limit.current()).isEqualTo(10);
		process(10);
		assertThat(this.limit.current()).isEqualTo(20);
		process(20);
		assertThat(this.limit.current()).isEqualTo(40);
		grow();
		assertThat(this.limit.current()).isEqualTo(100);
	}

	@Test
	void growsOnlyWhileHalfOfItIsInUse() {
		for (int i = 0; i < 100; i++) {
			this.limit.processed(0, 4);
		}
		assertThat(this.limit.current()).isEqualTo(10);

		this.limit.processed(0, 5);
		assertThat(this.limit.current()).isEqualTo(11);
	}

	@Test
	void shrinksByAFactorOncePerRoundTrip() {
		grow();
		throttle();
		assertThat(this.limit.current()).isEqualTo(80);

		// This attempt began before the limit shrank.
		this.limit.throttled(this.nanos - 1, this.nanos + 10);
		assertThat(this.limit.current()).isEqualTo(80);

		throttle();
		assertThat(this.limit.current()).isEqualTo(64);
	}

	@Test
	void restartsAfterASecondWithoutAnOrder() {
		grow();
		this.limit.idle(this.nanos);
		this.nanos += 999_999_999;
		this.limit.resume(this.nanos);
		assertThat(this.limit.current()).isEqualTo(100);

		this.limit.idle(this.nanos);
		this.nanos += 1_000_000_000;
		this.limit.resume(this.nanos);

		assertThat(this.limit.current()).isEqualTo(10);
		this.limit.throttled(this.nanos - 1, this.nanos);
		assertThat(this.limit.current()).as("by one that began before").isEqualTo(10);
		process(90);
		assertThat(this.limit.current()).as("it doubles up to where it was").isEqualTo(100);
	}

	@Test
	void neverShrinksBelowOne() {
		for (int i = 0; i < 1_000; i++) {
			throttle();
			assertThat(this.limit.current()).isBetween(1, 10);
		}
		assertThat(this.limit.current()).isEqualTo(1);
	}

	@Test
	void shrinksWhereManyAttemptsFailAndFewDoWithASmallerLimit() {
		grow();

		mix(80, 19);
		assertThat(this.limit.current()).isEqualTo(100);
		fail(1);
		assertThat(this.limit.current()).isEqualTo(80);

		mix(76, 4);
		assertThat(this.limit.current()).as("it stays").isEqualTo(80);
		process(81);
		assertThat(this.limit.current()).as("and continues to grow").isEqualTo(81);
	}

	@Test
	void isAsBeforeWhereAsManyFailWithASmallerLimit() {
		grow();
		mix(80, 20);
		assertThat(this.limit.current()).isEqualTo(80);

		mix(60, 4);
		assertThat(this.limit.current()).as("it does not grow on trial").isEqualTo(80);
		fail(1);
		assertThat(this.limit.current()).as("it shrinks further").isEqualTo(64);
		mix(40, 3);
		assertThat(this.limit.current()).isEqualTo(64);
		fail(1);
		assertThat(this.limit.current()).as("and a third time").isEqualTo(51);
		mix(30, 2);
		assertThat(this.limit.current()).isEqualTo(51);
		fail(1);
		assertThat(this.limit.current()).as("in vain").isEqualTo(100);

		mix(500, 499);
		assertThat(this.limit.current()).as("no trial for ten windows").isEqualTo(100);
		mix(21, 20);
		assertThat(this.limit.current()).as("another trial").isEqualTo(80);
	}

	/** If all fail, it is an outage, which the circuit breaker detects. */
	@Test
	void keepsItsLimitWhereAllFail() {
		grow();
		throttle();
		fail(1_000);

		assertThat(this.limit.current()).isEqualTo(80);
	}

	@Test
	void startsAgainAfterAnOutageAndDoublesUpToWhereItWas() {
		AdaptiveLimit limit = new AdaptiveLimit(100);
		limit.outage(0);
		limit.outage(1);
		assertThat(limit.current()).isEqualTo(1);

		grow();
		throttle();
		process(5);
		this.limit.outage(++this.nanos);
		assertThat(this.limit.current()).isEqualTo(1);
		this.limit.recovered(Duration.ofSeconds(10), ++this.nanos);
		assertThat(this.limit.current()).as("half of it for each ten seconds").isEqualTo(40);
		process(40);
		assertThat(this.limit.current()).isEqualTo(80);

		process(1);
		assertThat(this.limit.current()).isEqualTo(81);
		process(70);
		assertThat(this.limit.current()).as("by one per round trip").isEqualTo(81);
	}

	/** Grows the limit to the maximum, and ends a window: 50, 60, nine times 100. */
	private void grow() {
		process(1_010);
	}

	private void throttle() {
		this.nanos++;
		this.limit.throttled(this.nanos, this.nanos);
	}

	/** Spreads failures evenly among processed orders, with a failure at the end. */
	private void mix(int processed, int failed) {
		for (int i = 0, done = 0; i < failed; i++) {
			int until = (i + 1) * processed / failed;
			process(until - done);
			done = until;
			fail(1);
		}
	}

	private void process(int orders) {
		for (int i = 0; i < orders; i++) {
			this.limit.processed(++this.nanos, this.limit.current());
		}
	}

	private void fail(int attempts) {
		for (int i = 0; i < attempts; i++) {
			this.limit.failed(++this.nanos, this.nanos);
		}
	}

}
