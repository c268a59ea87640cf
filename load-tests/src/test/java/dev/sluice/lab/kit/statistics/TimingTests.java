package dev.sluice.lab.kit.statistics;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimingTests {

	@Test
	void percentilesAreNearestRankInMilliseconds() {
		int[] micros = IntStream.rangeClosed(1, 1_000).map((value) -> (1_001 - value) * 1_000).toArray();

		assertThat(Timing.of(micros)).isEqualTo(new Timing(1.0, 500.5, 500.0, 950.0, 990.0, 1_000));
		assertThat(micros[0]).as("left as it was").isEqualTo(1_000_000);
		assertThat(Timing.of(new int[0])).isNull();
	}

	@Test
	void aPercentileWithFewerThanTenAboveItIsUnknown() {
		assertThat(timing(999)).isEqualTo(new Timing(1.0, 500, 500.0, 950.0, null, 999));
		assertThat(timing(199)).isEqualTo(new Timing(1.0, 100, 100.0, null, null, 199));
		assertThat(timing(19)).isEqualTo(new Timing(1.0, 10, null, null, null, 19));
	}

	@Test
	void whatNinetyNinePercentDidNotExceedIsAlwaysKnown() {
		assertThat(timing(1_000).p99AtMost()).isEqualTo(990);
		assertThat(timing(100).p99AtMost()).isEqualTo(100);
	}

	/** Each value is a millisecond more than the one before. */
	private static Timing timing(int values) {
		return Timing.of(IntStream.rangeClosed(1, values).map((value) -> 1_000 * value).toArray());
	}

}
