package dev.sluice.devservices;

import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StallWatchTests {

	@Test
	void reportsTheLongestStallAndTheSum() {
		LongSummaryStatistics stalls = LongStream.of(5_100_000_000L, 300_000_000L).summaryStatistics();

		assertThat(StallWatch.during("aTest()", stalls))
			.isEqualTo("aTest() failed; meanwhile the machine stood still for 5100 ms at most, 5400 ms in all");
	}

}
