package dev.sluice.lab.drain;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SavedCurveTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final SavedCurve curve = new SavedCurve();

	@Test
	void takesTheRateInTheMiddle() {
		this.curve.add(START, 0);
		this.curve.add(START.plusSeconds(5), 30);
		this.curve.add(START.plusSeconds(6), 60);
		this.curve.add(START.plusSeconds(7), 90);
		this.curve.add(START.plusSeconds(9), 100);

		SavedCurve.Rate rate = this.curve.between(100, 0.3, 0.9);

		assertThat(rate.orders()).isEqualTo(60);
		assertThat(rate.window().seconds()).isEqualTo(2);
		assertThat(rate.perSecond()).isEqualTo(30);
	}

	@Test
	void refusesARateOfWhatWasNotSaved() {
		this.curve.add(START, 10);

		assertThatIllegalArgumentException().isThrownBy(() -> this.curve.between(100, 0.3, 0.9))
			.withMessageContaining("Only 10");
	}

	@Test
	void refusesACountThatFalls() {
		this.curve.add(START, 10);

		assertThatIllegalArgumentException().isThrownBy(() -> this.curve.add(START.plusSeconds(1), 9));
	}

}
