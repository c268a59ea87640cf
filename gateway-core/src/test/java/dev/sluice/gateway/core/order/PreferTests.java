package dev.sluice.gateway.core.order;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PreferTests {

	@ParameterizedTest
	@ValueSource(strings = { "respond-async", "Respond-Async", "respond-async, wait=10", "wait=10 , respond-async ",
			"respond-async; a=b", "a=\"x, y; \\\" z\", respond-async", ",, respond-async" })
	void findsRespondAsync(String line) {
		assertThat(Prefer.parse(List.of(line)).respondAsync()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "return=minimal", "respond-async-not", "a=\"x, respond-async\"", "a; respond-async",
			"respond-async=0", "\"respond-async", "\\" })
	void findsNoRespondAsync(String line) {
		assertThat(Prefer.parse(List.of(line)).respondAsync()).isFalse();
	}

	@Test
	void readsEveryLine() {
		assertThat(Prefer.parse(List.of("return=minimal", "respond-async")).respondAsync()).isTrue();
		assertThat(Prefer.parse(List.of()).respondAsync()).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			respond-async, wait=5            | 5
			WAIT = 5 ; a=b, respond-async    | 5
			wait="5"                         | 5
			wait=5, wait=6                   | 5
			wait=999999999                   | 10
			wait=0000000000003               | 3
			wait=00000000000                 | 0
			wait=0                           | 0
			wait                             | 0
			wait=                            | 0
			wait=-1                          | 0
			wait=1.5                         | 0
			wait=9999999999999999999         | 10
			wait=x, wait=5                   | 0
			a="wait=5"                       | 0
			""")
	void waitsAsLongAsAskedAndAllowed(String line, int seconds) {
		assertThat(Prefer.parse(List.of(line)).waitWithin(Duration.ofMillis(10_999)))
			.isEqualTo(Duration.ofSeconds(seconds));
	}

	@Test
	void saysWhatWasApplied() {
		assertThat(Prefer.parse(List.of("wait=5, respond-async")).applied(Duration.ofSeconds(3)))
			.isEqualTo("respond-async, wait=3");
		assertThat(Prefer.parse(List.of("wait=5, respond-async")).applied(Duration.ZERO)).isEqualTo("respond-async");
		assertThat(Prefer.parse(List.of("wait=5")).applied(Duration.ofSeconds(5))).isEqualTo("wait=5");
		assertThat(Prefer.parse(List.of("return=minimal")).applied(Duration.ZERO)).isEmpty();
	}

	@Test
	void choosesTheWay() {
		assertThat(new Prefer(true, Duration.ZERO).mode(Mode.SYNC)).isEqualTo(Mode.QUEUED);
		assertThat(new Prefer(false, Duration.ZERO).mode(Mode.SYNC)).isEqualTo(Mode.SYNC);
		assertThat(new Prefer(false, Duration.ZERO).mode(Mode.QUEUED)).isEqualTo(Mode.QUEUED);
	}

}
