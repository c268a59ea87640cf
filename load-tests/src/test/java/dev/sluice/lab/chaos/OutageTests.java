package dev.sluice.lab.chaos;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutageTests {

	@Test
	void countsFromTheBeginningOfTheFaultUntilTheFirstOrderAfterItsEnd() {
		int[] accepted = { 0, 900, 5_500, 5_600, 9_900 };

		assertThat(Outage.longest(accepted, 1_000, 5_000)).isEqualTo(4_500);
	}

	@Test
	void findsTheLongestOfSeveralGapsWithinTheFault() {
		int[] accepted = { 1_100, 2_000, 4_800, 5_100 };

		assertThat(Outage.longest(accepted, 1_000, 5_000)).isEqualTo(2_800);
	}

	@Test
	void doesNotBlameAFaultForWhatCameLater() {
		int[] accepted = { 1_100, 2_050, 60_000 };

		assertThat(Outage.longest(accepted, 1_000, 2_000)).isEqualTo(950);
	}

	@Test
	void isUnknownIfNothingWasAcceptedAnyMore() {
		assertThat(Outage.longest(new int[] { 1_100 }, 1_000, 2_000)).isNull();
		assertThat(Outage.longest(new int[0], 1_000, 2_000)).isNull();
	}

}
