package dev.sluice.lab.kit.measure;

import java.util.Map;

import dev.sluice.lab.kit.measure.Exposition.Series;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ExpositionTests {

	private static final String NAME = "sluice_accept_to_saved_seconds";

	private static final PrometheusHistogram EARLIER = read(10, 12, 12);

	private static final PrometheusHistogram LATER = read(510, 1_002, 1_012);

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

	@Test
	void countsWhatCameBetweenTwoReadings() {
		assertThat(LATER.since(EARLIER).count()).isEqualTo(1_000);
	}

	@Test
	void percentileIsTheBoundThatSoManyDoNotExceed() {
		PrometheusHistogram between = LATER.since(EARLIER);

		assertThat(between.percentile(50)).isEqualTo(0.1);
		assertThat(between.percentile(51)).isEqualTo(0.5);
		assertThat(between.percentile(99)).isEqualTo(0.5);
		assertThat(read(0, 1_000, 2_000).percentile(99)).isInfinite();
	}

	@Test
	void ofTooFewValuesTheGreatestStandsForThePercentile() {
		assertThat(read(900, 999, 999).percentile(99)).isNull();
		assertThat(read(900, 999, 999).p99AtMost()).isEqualTo(0.5);
		assertThat(read(900, 900, 900).p99AtMost()).isEqualTo(0.1);
		assertThat(LATER.since(EARLIER).p99AtMost()).isEqualTo(0.5);
	}

	@Test
	void hasNoPercentileWithoutValues() {
		assertThat(EARLIER.since(EARLIER).percentile(99)).isNull();
		assertThat(EARLIER.since(EARLIER).p99AtMost()).isNull();
		assertThat(histogram("other_bucket{le=\"1\"} 5").percentile(99)).isNull();
	}

	@Test
	void addsTheSeriesUp() {
		String text = """
				%1$s_bucket{outcome="a",le="0.1"} 3
				%1$s_bucket{outcome="b",le="0.1"} 4
				""".formatted(NAME);

		assertThat(histogram(text).count()).isEqualTo(7);
	}

	private static PrometheusHistogram read(int fast, int slow, int all) {
		return histogram("""
				# TYPE %1$s histogram
				%1$s_bucket{le="0.1"} %2$s
				%1$s_bucket{le="0.5"} %3$s.0
				%1$s_bucket{le="+Inf"} %4$s
				%1$s_count %4$s
				%1$s_max 0.7
				""".formatted(NAME, fast, slow, all));
	}

	private static PrometheusHistogram histogram(String text) {
		return PrometheusHistogram.of(parse(text), NAME);
	}

}
