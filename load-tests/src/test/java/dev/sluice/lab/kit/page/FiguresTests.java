package dev.sluice.lab.kit.page;

import java.time.Duration;
import java.util.stream.DoubleStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class FiguresTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "0 | 0", "0.00001 | < 0.001", "0.01234 | 0.0123", "1.005 | 1", "12.34 | 12.3", "999.6 | 1,000",
					"17985 | 18,000", "1234567 | 1,230,000", "-12.34 | −12.3", "0.001 | 0.001", "0.0009996 | 0.001",
					"-0.001 | −0.001", "-0.00001 | > −0.001", "-0.0 | 0", "NaN | –", "Infinity | –" })
	void roundsMeasuredFiguresToThreeDigits(double value, String text) {
		assertThat(Figures.measured(value)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "512 | 512 B", "2048 | 2 KiB", "1572864 | 1.5 MiB", "25769803776 | 24 GiB",
			"0 | 0 B", "1023 | 1,020 B", "1024 | 1 KiB", "-2048 | −2 KiB", "2251799813685248 | 2,050 TiB" })
	void givesSizesTheirUnit(long bytes, String text) {
		assertThat(Figures.bytes(bytes)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0.756 | 76 %", "-0.756 | −76 %", "0.0321 | 3.2 %", "0 | 0 %",
			"0.0996 | 10 %", "1 | 100 %", "1.5 | 150 %" })
	void givesSharesInPerCent(double share, String text) {
		assertThat(Figures.percent(share)).isEqualTo(text);
	}

	/** Zero means that there was none. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "0.0005 | 0.1 %", "0.00049 | < 0.1 %", "-0.0005 | −0.1 %", "-0.00049 | > −0.1 %", "-0.0 | 0 %" })
	void aSmallShareIsNotShownAsZero(double share, String text) {
		assertThat(Figures.percent(share)).isEqualTo(text);
	}

	@Test
	void whatWasNotMeasuredIsADash() {
		assertThat(Figures.measured(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.count(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.bytes(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.percent(null)).isEqualTo(Figures.NONE);
	}

	@Test
	void countsAreExact() {
		assertThat(Figures.count(0)).isEqualTo("0");
		assertThat(Figures.count(999)).isEqualTo("999");
		assertThat(Figures.count(1234567)).isEqualTo("1,234,567");
		assertThat(Figures.count(-1234567L)).isEqualTo("−1,234,567");
	}

	@Test
	void durationsGrowCoarser() {
		assertThat(Figures.duration(Duration.ofMillis(1234))).isEqualTo("1.23 s");
		assertThat(Figures.duration(Duration.ofSeconds(119))).isEqualTo("119 s");
		assertThat(Figures.duration(Duration.ofSeconds(120))).isEqualTo("2 min");
		assertThat(Figures.duration(Duration.ofMinutes(41))).isEqualTo("41 min");
		assertThat(Figures.duration(Duration.ofMinutes(120))).isEqualTo("2 h 0 min");
		assertThat(Figures.duration(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
	}

	@Test
	void theMedianIsTheMiddleOfTheSorted() {
		assertThat(Figures.median(DoubleStream.of(9, 1, 4))).isEqualTo(4);
		assertThat(Figures.median(DoubleStream.of(9, 1, 4, 2))).isEqualTo(3);
		assertThat(Figures.median(DoubleStream.of(7))).isEqualTo(7);
		assertThat(Figures.median(DoubleStream.empty())).isNull();
	}

}
