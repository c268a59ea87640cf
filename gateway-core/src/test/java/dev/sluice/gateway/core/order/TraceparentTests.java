package dev.sluice.gateway.core.order;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TraceparentTests {

	private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

	@Test
	void keepsWhatIsValid() {
		assertThat(Traceparent.parse(List.of(VALID))).isEqualTo(VALID);
	}

	@Test
	void passesOverNoneAndSeveral() {
		assertThat(Traceparent.parse(List.of())).isNull();
		assertThat(Traceparent.parse(List.of(VALID, VALID))).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
			"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
			"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x" })
	void passesOverWhatIsNotValid(String line) {
		assertThat(Traceparent.parse(List.of(line))).isNull();
	}

}
