package dev.sluice.lab.kit.statistics;

import java.util.OptionalLong;

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
