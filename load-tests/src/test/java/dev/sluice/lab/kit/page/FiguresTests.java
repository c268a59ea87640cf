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
	@CsvSource(delimiter = '|',
			value = { "0.756 | 76 %", "-0.756 | −76 %", "0.0321 | 3.2 %", "0 | 0 %", "0.0996 | 10 %", "1 | 100 %",
					"1.5 | 150 %",
					// zero means that there was none
					"0.0005 | 0.1 %", "0.00049 | < 0.1 %", "-0.0005 | −0.1 %", "-0.00049 | > −0.1 %", "-0.0 | 0 %" })
	void givesSharesInPerCent(double share, String text) {
		assertThat(Figures.percent(share)).isEqualTo(text);
	}

	@Test
	void whatWasNotMeasuredIsADash() {
		assertThat(Figures.measured(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.count(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.bytes(null)).isEqualTo(Figures.NONE);
		assertThat(Figures.percent(null)).isEqualTo(Figures.NONE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0 | 0", "999 | 999", "1234567 | 1,234,567", "-1234567 | −1,234,567" })
	void countsAreExact(long count, String text) {
		assertThat(Figures.count(count)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "PT1.234S | 1.23 s", "PT119S | 119 s", "PT120S | 2 min", "PT41M | 41 min",
			"PT120M | 2 h 0 min", "PT125M | 2 h 5 min" })
	void durationsGrowCoarser(Duration duration, String text) {
		assertThat(Figures.duration(duration)).isEqualTo(text);
	}

	@Test
	void theMedianIsTheMiddleOfTheSorted() {
		assertThat(Figures.median(DoubleStream.of(9, 1, 4))).isEqualTo(4);
		assertThat(Figures.median(DoubleStream.of(9, 1, 4, 2))).isEqualTo(3);
		assertThat(Figures.median(DoubleStream.of(7))).isEqualTo(7);
		assertThat(Figures.median(DoubleStream.empty())).isNull();
	}

}
