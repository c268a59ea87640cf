package dev.sluice.devservices;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StallWatchTests {

	@Test
	void reportsTheLongestStallAndTheSum() {
		StallWatch.Stalls stalls = StallWatch.Stalls.NONE.and(5_100_000_000L).and(300_000_000L);

		assertThat(stalls.during("aTest()"))
			.isEqualTo("aTest() failed; meanwhile the machine stood still for 5100 ms at most, 5400 ms in all");
	}

}
