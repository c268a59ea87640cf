package dev.sluice.gateway.core.order;

import java.util.List;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyKeyTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			"a"        | a
			" a b "    | ' a b '
			"a\\"b"    | a"b
			"a\\\\"    | a\\
			""")
	void readsTheString(String line, String value) {
		assertThat(IdempotencyKey.parse(List.of(line))).isEqualTo(new IdempotencyKey(value));
	}

	@Test
	void isNoneWithoutHeader() {
		assertThat(IdempotencyKey.parse(List.of())).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "\"", "\"\"", "\"a", "a\"", "\"a\" \"b\"", "\"a\";b", "\"a\\\"", "\"a\\b\"",
			"\"\u00e4\"", "\"a\tb\"", "'a'" })
	void refusesWhatIsNoString(String line) {
		assertRefused(List.of(line));
	}

	@Test
	void refusesMoreThanOne() {
		assertRefused(List.of("\"a\"", "\"a\""));
	}

	@Test
	void takesUpTo255Characters() {
		assertThat(IdempotencyKey.parse(List.of('"' + "x".repeat(255) + '"'))).isNotNull();
		assertRefused(List.of('"' + "x".repeat(256) + '"'));
	}

	private static void assertRefused(List<String> lines) {
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> IdempotencyKey.parse(lines))
			.satisfies((ex) -> assertThat(ex.type()).isEqualTo(ProblemType.INVALID_REQUEST));
	}

}
