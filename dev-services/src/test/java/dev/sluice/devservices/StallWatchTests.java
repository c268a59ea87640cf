package dev.sluice.devservices;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StallWatchTests {

	@Test
	void reportsHowLongTheMachineStoodStill() {
		assertThat(StallWatch.during("aTest()", Duration.ofNanos(5_400_000_000L)))
			.isEqualTo("aTest() failed; meanwhile the machine stood still for 5400 ms");
	}

}
