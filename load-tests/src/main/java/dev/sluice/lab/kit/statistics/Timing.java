package dev.sluice.lab.kit.statistics;

import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How long something took, in milliseconds. Percentiles are exact (nearest rank); one
 * with fewer than ten values above it is null.
 *
 * @param min in milliseconds, as all of these; cells of older runs lack it
 */
public record Timing(@Nullable Double min, double mean, @Nullable Double p50, @Nullable Double p95,
		@Nullable Double p99, double max) {

	/** Of times in microseconds, in any order; null if there are none. */
	public static @Nullable Timing of(int[] micros) {
		if (micros.length == 0) {
			return null;
		}
		double[] sorted = Arrays.stream(micros).sorted().mapToDouble((each) -> each / 1_000.0).toArray();
		return new Timing(sorted[0], Arrays.stream(sorted).average().orElseThrow(), Percentile.of(sorted, 50),
				Percentile.of(sorted, 95), Percentile.of(sorted, 99), sorted[sorted.length - 1]);
	}

	/**
	 * The time that 99 % did not exceed: the 99th percentile or, with too few values for
	 * one, the greatest.
	 */
	public double p99AtMost() {
		return Objects.requireNonNullElse(this.p99, this.max);
	}

}
