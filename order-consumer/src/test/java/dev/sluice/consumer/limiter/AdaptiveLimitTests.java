package dev.sluice.consumer.limiter;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What no simulated backend shows: see {@link OverloadTests}. */
class AdaptiveLimitTests {

	private final AdaptiveLimit limit = new AdaptiveLimit(100);

	private long nanos;

	@Test
	void neverExceedsAMaximumBelowItsInitialValue() {
		assertThat(new AdaptiveLimit(3).current()).isEqualTo(3);
	}

	/** 20 of 100, although 50 are a window at a small limit. */
	@Test
	void shrinksWhereAFifthOfAsManyAsAreInFlightFails() {
		grow();

		for (int i = 0; i < 19; i++) {
			process(4);
			fail();
		}
		assertThat(this.limit.current()).isEqualTo(100);
		process(4);
		fail();

		assertThat(this.limit.current()).isEqualTo(80);
	}

	/** If all fail, it is an outage, which the circuit breaker detects. */
	@Test
	void keepsItsLimitWhereAllFail() {
		grow();
		this.nanos++;
		this.limit.throttled(this.nanos, this.nanos);

		for (int i = 0; i < 1_000; i++) {
			fail();
			assertThat(this.limit.current()).isEqualTo(80);
		}
	}

	@Test
	void doublesUpToWhereItWasBeforeAnOutageAndThenGrowsByOnePerRoundTrip() {
		grow();
		this.nanos++;
		this.limit.throttled(this.nanos, this.nanos);

		this.limit.outage(++this.nanos);
		assertThat(this.limit.current()).isEqualTo(1);
		this.limit.recovered(Duration.ofSeconds(10), ++this.nanos);
		assertThat(this.limit.current()).as("half of it for each ten seconds").isEqualTo(40);
		process(40);
		assertThat(this.limit.current()).isEqualTo(80);
		process(70);
		assertThat(this.limit.current()).isEqualTo(80);
		process(20);
		assertThat(this.limit.current()).isEqualTo(81);
	}

	/** Grows the limit to the maximum, and ends a window: 50, 60, nine times 100. */
	private void grow() {
		process(1_010);
	}

	private void process(int orders) {
		for (int i = 0; i < orders; i++) {
			this.limit.processed(++this.nanos, this.limit.current());
		}
	}

	private void fail() {
		this.limit.failed(++this.nanos, this.nanos);
	}

}
