package dev.sluice.consumer;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTests {

	@ParameterizedTest
	@CsvSource({ "1,100", "2,200", "3,400", "4,800", "5,1000", "6,1000", "63,1000", "64,1000", "2147483647,1000" })
	void doublesItsBoundUpToTheGreatest(int failures, long boundMillis) {
		Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0.5);

		assertThat(backoff.after(failures)).isEqualTo(Duration.ofMillis(boundMillis / 2));
	}

	@Test
	void drawsFromZeroToTheBound() {
		Duration initial = Duration.ofMillis(100);

		assertThat(new Backoff(initial, initial, () -> 0).after(1)).isZero();
		assertThat(new Backoff(initial, initial, () -> Math.nextDown(1.0)).after(1)).isLessThan(initial)
			.isGreaterThan(Duration.ofMillis(99));
	}

}
