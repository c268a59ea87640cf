package dev.sluice.lab.kit.measure;

import java.util.Map;

import dev.sluice.lab.kit.measure.Exposition.Series;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExpositionTests {

	@Test
	void readsNamesLabelsAndValues() {
		assertThat(parse("""
				# HELP a_total what it counts
				# TYPE a_total counter
				a_total{mode="sync",outcome="saved"} 12.0
				b 1.5E9
				c{d="e",} 3 1795291919230
				""").series()).containsExactly(new Series("a_total", Map.of("mode", "sync", "outcome", "saved"), 12),
				new Series("b", Map.of(), 1.5e9), new Series("c", Map.of("d", "e"), 3));
	}

	@Test
	void labelsMayHoldAnything() {
		assertThat(parse("a{id=\"G1 'Eden', {x=\\\"y\\\"} \\\\ z\",b=\"c\\nd\"} 1").series())
			.containsExactly(new Series("a", Map.of("id", "G1 'Eden', {x=\"y\"} \\ z", "b", "c\nd"), 1));
	}

	@Test
	void infinityIsAValueAndNotANumberIsNone() {
		assertThat(parse("a +Inf\nb -Inf\nc NaN").series()).extracting(Series::value)
			.containsExactly(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
	}

	@Test
	void leavesOutWhatIsNotWantedAndWhatIsNoSeries() {
		Exposition exposition = Exposition.parse("a 1\nb 2\na{x=\"1\na{x} 2\na\na{x=\"1\"} y\n<html>",
				(name) -> name.equals("a"));

		assertThat(exposition.series()).containsExactly(new Series("a", Map.of(), 1));
	}

	@Test
	void addsUpTheSeriesOfAName() {
		assertThat(parse("a{x=\"1\"} 1\na{x=\"2\"} 2\nab 4").sum("a")).isEqualTo(3);
		assertThat(parse("ab 4").sum("a")).isNull();
	}

	private static Exposition parse(String text) {
		return Exposition.parse(text, (_) -> true);
	}

}
