package dev.sluice.lab.kit.measure;

import java.util.stream.IntStream;
import java.util.stream.LongStream;

import dev.sluice.lab.kit.result.CellResult.Latency;
import dev.sluice.lab.kit.result.Timing;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LatenciesTests {

	@Test
	void percentilesAreNearestRank() {
		assertThat(Latencies.of(LongStream.rangeClosed(1, 100).map((value) -> 101 - value).toArray()))
			.isEqualTo(new Latency(50.5, 50, 95, 99, 100));
		assertThat(Latencies.of(LongStream.rangeClosed(1, 10).toArray())).isEqualTo(new Latency(5.5, 5, 10, 10, 10));
		assertThat(Latencies.of(new long[] { 7 })).isEqualTo(new Latency(7, 7, 7, 7, 7));
	}

	@Test
	void ofNoneIsNothing() {
		assertThat(Latencies.of(new long[0])).isNull();
	}

	@Test
	void timesAreGivenInMilliseconds() {
		int[] micros = IntStream.rangeClosed(1, 100).map((value) -> (101 - value) * 1_000).toArray();

		assertThat(Latencies.timing(micros)).isEqualTo(new Timing(1, 50.5, 50, 95, 99, 100));
		assertThat(micros[0]).isEqualTo(100_000);
		assertThat(Latencies.timing(new int[0])).isNull();
	}

	@Test
	void leavesTheLatenciesAsTheyAre() {
		long[] latencies = { 3, 1, 2 };

		Latencies.of(latencies);

		assertThat(latencies).containsExactly(3, 1, 2);
	}

}
