package dev.sluice.lab.knee;

import java.util.OptionalDouble;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class KneeSearchTests {

	private final KneeSearch search = new KneeSearch(100);

	@ParameterizedTest
	@ValueSource(doubles = { 3, 51, 99.9, 100, 777, 3_333, 12_000 })
	void findsTheGreatestRateWithinFivePercent(double knee) {
		int steps = run(knee);

		assertThat(this.search.held()).isNotNull().isBetween(knee / (1 + KneeSearch.PRECISION), knee);
		assertThat(this.search.failed()).isNotNull().isGreaterThan(knee);
		assertThat(steps).isLessThan(16);
	}

	@Test
	void triesNoMoreThanTheMost() {
		run(1e9);

		assertThat(this.search.held()).isEqualTo(KneeSearch.MOST);
		assertThat(this.search.failed()).isNull();
	}

	@Test
	void endsWhereNothingHolds() {
		run(0);

		assertThat(this.search.held()).isNull();
		assertThat(this.search.failed()).isEqualTo(KneeSearch.LEAST);
	}

	@Test
	void doesNotBelieveTheFirstRateThatDoesNotHold() {
		this.search.record(100, true);
		this.search.record(200, false);

		assertThat(this.search.next()).hasValue(200);

		this.search.record(200, true);
		assertThat(this.search.next()).hasValue(400);
	}

	private int run(double knee) {
		int steps = 0;
		for (OptionalDouble rate = this.search.next(); rate.isPresent(); rate = this.search.next()) {
			this.search.record(rate.getAsDouble(), rate.getAsDouble() <= knee);
			assertThat(++steps).as("steps").isLessThan(100);
		}
		return steps;
	}

}
