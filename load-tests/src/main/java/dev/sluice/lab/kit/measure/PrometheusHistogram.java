package dev.sluice.lab.kit.measure;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import dev.sluice.lab.kit.cell.Timing;

import org.jspecify.annotations.Nullable;

/**
 * A histogram of a Prometheus endpoint, all its series added up: the number of values at
 * or below each bound since the process began.
 *
 * @param counts cumulative, by upper bound in seconds
 */
public record PrometheusHistogram(Map<Double, Double> counts) {

	public PrometheusHistogram {
		counts = new TreeMap<>(counts);
	}

	/** The histogram of that name; empty if there is none. */
	public static PrometheusHistogram of(Exposition exposition, String name) {
		Map<Double, Double> counts = new TreeMap<>();
		exposition.of(name + "_bucket")
			.forEach((bucket) -> counts.merge(Exposition.number(bucket.label("le")), bucket.value(), Double::sum));
		return new PrometheusHistogram(counts);
	}

	/** The values added since an earlier reading of the same process. */
	public PrometheusHistogram since(PrometheusHistogram earlier) {
		Map<Double, Double> grown = new TreeMap<>();
		this.counts.forEach((bound, count) -> grown.put(bound, count - earlier.counts.getOrDefault(bound, 0.0)));
		return new PrometheusHistogram(grown);
	}

	/** The number of values. */
	public double count() {
		return this.counts.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
	}

	/**
	 * The upper bound, in seconds, of the bucket that a percentile lies in. The true
	 * value is at most that, and above the bound before. Null if it is not known,
	 * infinite if it lies beyond the last bound.
	 */
	public @Nullable Double percentile(int percent) {
		OptionalLong rank = Timing.rank(Math.round(count()), percent);
		return rank.isPresent() ? bound(rank.getAsLong()) : null;
	}

	/**
	 * The bound, in seconds, that 99 % of the values did not exceed: that of the 99th
	 * percentile or, with too few values for one, of the greatest value; null without
	 * values.
	 */
	public @Nullable Double p99AtMost() {
		Double p99 = percentile(99);
		return (p99 != null || count() == 0) ? p99 : bound(count());
	}

	private @Nullable Double bound(double rank) {
		return this.counts.entrySet()
			.stream()
			.filter((bucket) -> bucket.getValue() >= rank)
			.map(Map.Entry::getKey)
			.min(Double::compare)
			.orElse(null);
	}

}
