package dev.sluice.lab.kit.measure;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PrometheusHistogramTests {

	private static final String NAME = "sluice_accept_to_saved_seconds";

	private static final PrometheusHistogram EARLIER = read(10, 12, 12);

	private static final PrometheusHistogram LATER = read(510, 1_002, 1_012);

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
		assertThat(parse("other_bucket{le=\"1\"} 5", NAME).percentile(99)).isNull();
	}

	@Test
	void addsTheSeriesUp() {
		String text = """
				%1$s_bucket{outcome="a",le="0.1"} 3
				%1$s_bucket{outcome="b",le="0.1"} 4
				""".formatted(NAME);

		assertThat(parse(text, NAME).count()).isEqualTo(7);
	}

	private static PrometheusHistogram read(int fast, int slow, int all) {
		return parse("""
				# TYPE %1$s histogram
				%1$s_bucket{le="0.1"} %2$s
				%1$s_bucket{le="0.5"} %3$s.0
				%1$s_bucket{le="+Inf"} %4$s
				%1$s_count %4$s
				%1$s_max 0.7
				""".formatted(NAME, fast, slow, all), NAME);
	}

	private static PrometheusHistogram parse(String text, String name) {
		return PrometheusHistogram.of(Exposition.parse(text, (_) -> true), name);
	}

}
