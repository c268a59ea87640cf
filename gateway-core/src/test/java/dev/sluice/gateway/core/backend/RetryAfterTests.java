package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryAfterTests {

	private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0                              | PT1S
			1                              | PT1S
			 7                             | PT7S
			00000000007                    | PT7S
			00000000000                    | PT1S
			60                             | PT1M
			61                             | PT1M
			99999999999999999999           | PT1M
			Mon, 23 Nov 2026 10:00:30 GMT  | PT30S
			Mon, 23 Nov 2026 09:00:00 GMT  | PT1S
			Tue, 24 Nov 2026 10:00:00 GMT  | PT1M
			""")
	void isBetweenASecondAndAMinute(String value, Duration expected) {
		assertThat(RetryAfter.parse(value, NOW)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "soon", "-5", "1.5", "1:", "/1" })
	void isNullWhereItCannotBeRead(String value) {
		assertThat(RetryAfter.parse(value, NOW)).isNull();
	}

	@Test
	void isNullWithoutTheHeader() {
		assertThat(RetryAfter.parse(null, NOW)).isNull();
	}

}
