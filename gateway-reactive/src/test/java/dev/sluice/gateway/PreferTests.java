package dev.sluice.gateway;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

	@Test
	void choosesTheWay() {
		assertThat(new Prefer(true).way(Way.SYNC)).isEqualTo(Way.QUEUED);
		assertThat(new Prefer(false).way(Way.SYNC)).isEqualTo(Way.SYNC);
		assertThat(new Prefer(false).way(Way.QUEUED)).isEqualTo(Way.QUEUED);
	}

}
