package dev.sluice.lab.kit.page;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FiguresTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0 | 0", "0.00001 | < 0.001", "0.01234 | 0.0123", "1.005 | 1", "12.34 | 12.3",
			"999.6 | 1,000", "17985 | 18,000", "1234567 | 1,230,000", "-12.34 | −12.3", "NaN | –" })
	void roundsMeasuredFiguresToThreeDigits(double value, String text) {
		assertThat(Figures.measured(value)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "512 | 512 B", "2048 | 2 KiB", "1572864 | 1.5 MiB", "25769803776 | 24 GiB" })
	void givesSizesTheirUnit(long bytes, String text) {
		assertThat(Figures.bytes(bytes)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0.756 | 76 %", "-0.756 | −76 %", "0.0321 | 3.2 %", "0 | 0 %" })
	void givesSharesInPerCent(double share, String text) {
		assertThat(Figures.percent(share)).isEqualTo(text);
	}

	@Test
	void countsAreExact() {
		assertThat(Figures.count(1234567)).isEqualTo("1,234,567");
		assertThat(Figures.count(null)).isEqualTo("–");
	}

	@ParameterizedTest
	@CsvSource({ "0, 0 faults", "1, 1 fault", "2, 2 faults" })
	void oneThingIsNamedInTheSingular(long count, String text) {
		assertThat(Figures.counted(count, "fault")).isEqualTo(text);
	}

	@Test
	void durationsGrowCoarser() {
		assertThat(Figures.duration(Duration.ofMillis(1234))).isEqualTo("1.23 s");
		assertThat(Figures.duration(Duration.ofMinutes(41))).isEqualTo("41 min");
		assertThat(Figures.duration(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
	}

}
