package dev.sluice.consumer.limiter;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdaptiveLimitTests {

	private final AdaptiveLimit limit = new AdaptiveLimit(100);

	@Test
	void shrinksByAFactorOncePerRoundTrip() {
		this.limit.throttled(0, 10);
		assertThat(this.limit.current()).isEqualTo(70);

		// These began before it had shrunk.
		this.limit.throttled(1, 11);
		this.limit.throttled(9, 19);
		assertThat(this.limit.current()).isEqualTo(70);

		this.limit.throttled(10, 20);
		assertThat(this.limit.current()).isEqualTo(49);
	}

	@Test
	void growsByOnePerRoundTripUpToItsMaximum() {
		this.limit.throttled(0, 10);
		for (int i = 0; i < 71; i++) {
			this.limit.processed();
		}
		assertThat(this.limit.current()).isEqualTo(71);

		for (int i = 0; i < 10_000; i++) {
			this.limit.processed();
		}
		assertThat(this.limit.current()).isEqualTo(100);
	}

	@Test
	void neverShrinksBelowOne() {
		for (int i = 0; i < 1_000; i++) {
			this.limit.throttled(i, i);
			assertThat(this.limit.current()).isBetween(1, 100);
		}
		assertThat(this.limit.current()).isEqualTo(1);
	}

}
