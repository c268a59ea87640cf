package dev.sluice.lab.kit.statistics;

import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * Finds percentiles among sorted values by the nearest rank: the least value that at
 * least that percentage of the values do not exceed. With fewer than
 * {@value #MIN_VALUES_ABOVE} values above it, chance decides which value that is, and the
 * percentile counts as unknown.
 */
public final class Percentile {

	static final int MIN_VALUES_ABOVE = 10;

	private Percentile() {
	}

	/** A percentile of sorted values; null if too few values are above it. */
	public static @Nullable Double of(double[] sorted, double percent) {
		OptionalLong rank = rank(sorted.length, percent);
		return rank.isPresent() ? Double.valueOf(sorted[(int) rank.getAsLong() - 1]) : null;
	}

	/**
	 * The rank of a percentile, from 1.
	 * @param count number of values
	 * @return empty if too few values are above it
	 */
	public static OptionalLong rank(long count, double percent) {
		long rank = (long) Math.max(1, Math.ceil(count * percent / 100));
		return (count - rank >= MIN_VALUES_ABOVE) ? OptionalLong.of(rank) : OptionalLong.empty();
	}

}
