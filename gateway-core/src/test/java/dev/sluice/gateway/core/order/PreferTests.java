package dev.sluice.gateway.core.order;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PreferTests {

	private static final Duration ALLOWED = Duration.ofMillis(10_999);

	@ParameterizedTest
	@ValueSource(strings = { "respond-async", "Respond-Async", "respond-async, wait=10", "wait=10 , respond-async ",
			"respond-async; a=b", "a=\"x, y; \\\" z\", respond-async", ",, respond-async" })
	void findsRespondAsync(String line) {
		assertThat(parse(line).respondAsync()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "return=minimal", "respond-async-not", "a=\"x, respond-async\"", "a; respond-async",
			"respond-async=0", "\"respond-async", "\\" })
	void findsNoRespondAsync(String line) {
		assertThat(parse(line).respondAsync()).isFalse();
	}

	@Test
	void readsEveryLine() {
		assertThat(parse("return=minimal", "respond-async").respondAsync()).isTrue();
		assertThat(parse().respondAsync()).isFalse();
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
		assertThat(parse(line).maxWait()).isEqualTo(Duration.ofSeconds(seconds));
	}

	@Test
	void saysWhatWasApplied() {
		assertThat(parse("wait=50, respond-async").applied(true)).isEqualTo("respond-async, wait=10");
		assertThat(parse("wait=5, respond-async").applied(false)).isEqualTo("respond-async");
		assertThat(parse("wait=5").applied(true)).isEqualTo("wait=5");
		assertThat(parse("return=minimal").applied(false)).isEmpty();
	}

	@Test
	void choosesTheWay() {
		assertThat(Prefer.parse(List.of("respond-async"), Mode.SYNC, ALLOWED).mode()).isEqualTo(Mode.QUEUED);
		assertThat(Prefer.parse(List.of(), Mode.SYNC, ALLOWED).mode()).isEqualTo(Mode.SYNC);
		assertThat(parse().mode()).isEqualTo(Mode.QUEUED);
	}

	private static Prefer parse(String... lines) {
		return Prefer.parse(List.of(lines), Mode.QUEUED, ALLOWED);
	}

}
