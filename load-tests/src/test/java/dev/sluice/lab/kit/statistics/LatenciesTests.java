package dev.sluice.lab.kit.statistics;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

import dev.sluice.lab.kit.cell.CellResult.Latency;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LatenciesTests {

	@Test
	void percentilesAreNearestRank() {
		assertThat(Latencies.of(LongStream.rangeClosed(1, 1_000).map((value) -> 1_001 - value).toArray()))
			.isEqualTo(new Latency(500.5, 500.0, 950.0, 990.0, 1_000));
		assertThat(Latencies.timing(IntStream.rangeClosed(1, 1_000).map((value) -> 1_000 * value).toArray()))
			.isEqualTo(new Timing(1, 500.5, 500.0, 950.0, 990.0, 1_000));
	}

	@Test
	void aPercentileWithFewerThanTenAboveItIsUnknown() {
		assertThat(Latencies.of(LongStream.rangeClosed(1, 999).toArray()))
			.isEqualTo(new Latency(500, 500.0, 950.0, null, 999));
		assertThat(Latencies.of(LongStream.rangeClosed(1, 199).toArray()))
			.isEqualTo(new Latency(100, 100.0, null, null, 199));
		assertThat(Latencies.timing(IntStream.rangeClosed(1, 19).map((value) -> 1_000 * value).toArray()))
			.isEqualTo(new Timing(1, 10, null, null, null, 19));
	}

	@Test
	void whatNinetyNinePercentDidNotExceedIsAlwaysKnown() {
		assertThat(Latencies.of(LongStream.rangeClosed(1, 1_000).toArray()).p99AtMost()).isEqualTo(990);
		assertThat(Latencies.of(LongStream.rangeClosed(1, 100).toArray()).p99AtMost()).isEqualTo(100);
		assertThat(Latencies.timing(new int[] { 7_000 }).p99AtMost()).isEqualTo(7);
	}

	@Test
	void timesAreGivenInMilliseconds() {
		int[] micros = IntStream.rangeClosed(1, 100).map((value) -> (101 - value) * 1_000).toArray();

		assertThat(Latencies.timing(micros)).isEqualTo(new Timing(1, 50.5, 50.0, null, null, 100));
		assertThat(micros[0]).isEqualTo(100_000);
		assertThat(Latencies.timing(new int[0])).isNull();
		assertThat(Latencies.of(new long[0])).isNull();
	}

}
