package dev.sluice.lab.pool;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentTimesTests {

	@Test
	void keepsTheLastAndCountsAll() {
		RecentTimes times = new RecentTimes(100);

		LongStream.rangeClosed(1, 1_030).forEach(times::add);

		assertThat(times.count()).isEqualTo(1_030);
		assertThat(times.kept()).containsExactlyInAnyOrder(LongStream.rangeClosed(931, 1_030).toArray());
	}

	@Test
	void keepsAllWhileTheyAreFew() {
		RecentTimes times = new RecentTimes(100);
		assertThat(times.kept()).isEmpty();

		LongStream.rangeClosed(1, 70).forEach(times::add);

		assertThat(times.kept()).containsExactly(LongStream.rangeClosed(1, 70).toArray());
	}

}
