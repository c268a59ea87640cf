package dev.sluice.lab.kit.cell;

import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * How long something took, in milliseconds. Percentiles are exact (nearest rank); one
 * with fewer than ten values above it is null.
 *
 * @param min in milliseconds, as all of these; cells of older runs lack it
 */
public record Timing(@Nullable Double min, double mean, @Nullable Double p50, @Nullable Double p95,
		@Nullable Double p99, double max) {

	private static final int MIN_VALUES_ABOVE = 10;

	/** Of times in microseconds, in any order; null if there are none. */
	public static @Nullable Timing of(int[] micros) {
		if (micros.length == 0) {
			return null;
		}
		double[] sorted = Arrays.stream(micros).sorted().mapToDouble((each) -> each / 1_000.0).toArray();
		return new Timing(sorted[0], Arrays.stream(sorted).average().orElseThrow(),
				percentile(sorted, sorted.length, 50), percentile(sorted, sorted.length, 95),
				percentile(sorted, sorted.length, 99), sorted[sorted.length - 1]);
	}

	/**
	 * A percentile of so many values, of which the least are known and sorted; null if
	 * too few values are above it, or if it is not known.
	 */
	public static @Nullable Double percentile(double[] sorted, int count, double percent) {
		OptionalLong rank = rank(count, percent);
		return (rank.isPresent() && rank.getAsLong() <= sorted.length)
				? Double.valueOf(sorted[(int) rank.getAsLong() - 1]) : null;
	}

	/**
	 * The rank of a percentile among sorted values, from 1: that of the least value that
	 * at least that percentage of the values do not exceed.
	 * @param count number of values
	 * @return empty if fewer than ten values are above it: chance decides which it is
	 */
	public static OptionalLong rank(long count, double percent) {
		long rank = (long) Math.max(1, Math.ceil(count * percent / 100));
		return (count - rank >= MIN_VALUES_ABOVE) ? OptionalLong.of(rank) : OptionalLong.empty();
	}

	/**
	 * The time that 99 % did not exceed: the 99th percentile or, with too few values for
	 * one, the greatest.
	 */
	public double p99AtMost() {
		return Objects.requireNonNullElse(this.p99, this.max);
	}

}
