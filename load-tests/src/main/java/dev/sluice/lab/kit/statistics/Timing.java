package dev.sluice.lab.kit.statistics;

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

	/**
	 * The time that 99 % did not exceed: the 99th percentile or, with too few values for
	 * one, the greatest.
	 */
	public double p99AtMost() {
		return Objects.requireNonNullElse(this.p99, this.max);
	}

}
