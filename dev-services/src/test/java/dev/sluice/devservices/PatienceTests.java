package dev.sluice.devservices;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PatienceTests {

	private final String before = System.getProperty(Patience.PROPERTY, "1");

	@AfterEach
	void restore() {
		System.setProperty(Patience.PROPERTY, this.before);
	}

	@Test
	void deadlinesAreMultiplied() {
		System.setProperty(Patience.PROPERTY, "2.5");

		assertThat(Patience.ofSeconds(4)).isEqualTo(Duration.ofSeconds(10));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.5", "101", "NaN", "six", "" })
	void otherFactorsAreRefused(String factor) {
		System.setProperty(Patience.PROPERTY, factor);

		assertThatIllegalStateException().isThrownBy(() -> Patience.ofSeconds(1))
			.withMessage("sluice.patience must be a number from 1 to 100, not '%s'".formatted(factor));
	}

}
