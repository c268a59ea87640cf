package dev.sluice.lab.kit.statistics;

import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Which of some sorted values is a percentile, by the nearest rank: the least value that
 * at least so many percent of the values do not exceed. With fewer than
 * {@value #LEAST_ABOVE} values above it, chance says which value that is, and the
 * percentile counts as unknown.
 */
public final class Percentile {

	static final int LEAST_ABOVE = 10;

	private Percentile() {
	}

	/**
	 * Its rank, from 1.
	 * @param count of the values
	 * @return empty if too few values are above it
	 */
	public static OptionalLong rank(long count, double percent) {
		long rank = (long) Math.max(1, Math.ceil(count * percent / 100));
		return (count - rank >= LEAST_ABOVE) ? OptionalLong.of(rank) : OptionalLong.empty();
	}

	/** The highest of 99, 95, 90 and 50 that is known; of too few values 50. */
	public static int highest(long count) {
		return IntStream.of(99, 95, 90).filter((percent) -> rank(count, percent).isPresent()).findFirst().orElse(50);
	}

}
