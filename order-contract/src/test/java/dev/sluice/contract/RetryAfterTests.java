package dev.sluice.contract;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryAfterTests {

	private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0                              | PT0S
			1                              | PT1S
			 7                             | PT7S
			00000000007                    | PT7S
			00000000000                    | PT0S
			86400                          | PT24H
			Mon, 23 Nov 2026 10:00:30 GMT  | PT30S
			Mon, 23 Nov 2026 09:00:00 GMT  | PT0S
			Tue, 24 Nov 2026 10:00:00 GMT  | PT24H
			""")
	void isSecondsOrADate(String value, Duration expected) {
		assertThat(BackendAnswer.retryAfter(value, NOW)).isEqualTo(expected);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "soon", "-5", "1.5", "1:", "/1" })
	void isNullWhereItCannotBeRead(String value) {
		assertThat(BackendAnswer.retryAfter(value, NOW)).isNull();
	}

}
