package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryAfterTests {

	private static final Instant NOW = Instant.parse("2026-11-06T08:49:30Z");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0                              | PT0S
			7                              | PT7S
			120                            | PT2M
			00000000000000000007           | PT7S
			999999999999                   | PT277777777H46M39S
			Fri, 06 Nov 2026 08:49:37 GMT  | PT7S
			Fri, 06 Nov 2026 08:49:30 GMT  | PT0S
			Sun, 06 Nov 1994 08:49:37 GMT  | PT0S
			""")
	void readsSecondsAndDates(String value, Duration expected) {
		assertThat(RetryAfter.parse(value, NOW)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "soon", "-1", "1.5", "2026-11-06T08:49:37Z", "99999999999999999999" })
	void readsNothingElse(String value) {
		assertThat(RetryAfter.parse(value, NOW)).isNull();
	}

	@Test
	void isNullWithoutTheHeader() {
		assertThat(RetryAfter.parse(null, NOW)).isNull();
	}

}
