package dev.sluice.lab.history;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class SeriesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "1.25 | +25 %", "1.032 | +3.2 %", "1 | +0 %", "0.75 | −25 %",
			"1.0003 | < +0.1 %", "0.9997 | > −0.1 %", "NaN | –", "Infinity | –" })
	void aChangeHasItsSign(double ratio, String text) {
		assertThat(Series.signed(ratio)).isEqualTo(text);
	}

}
