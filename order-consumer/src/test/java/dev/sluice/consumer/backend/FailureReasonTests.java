package dev.sluice.consumer.backend;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FailureReasonTests {

	@ParameterizedTest
	@CsvSource({ "10000, 10 s", "1000, 1 s", "1500, 1500 ms", "50, 50 ms" })
	void saysATimeoutInSecondsIfTheyAreWhole(int millis, String text) {
		assertThat(FailureReason.notAnsweredWithin(Duration.ofMillis(millis), "").reason())
			.isEqualTo("The backend did not answer within " + text + ".");
	}

}
