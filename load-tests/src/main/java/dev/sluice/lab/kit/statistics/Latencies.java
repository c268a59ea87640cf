package dev.sluice.lab.kit.statistics;

import java.util.Arrays;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/** Exact statistics of a set of times. */
public final class Latencies {

	private Latencies() {
	}

	/** Statistics of times in microseconds, in any order; null if there are none. */
	public static @Nullable Timing timing(int[] micros) {
		if (micros.length == 0) {
			return null;
		}
		long[] sorted = Arrays.stream(micros).sorted().asLongStream().toArray();
		return new Timing(millis(sorted[0]), millis(Arrays.stream(sorted).average().orElseThrow()), millis(sorted, 50),
				millis(sorted, 95), millis(sorted, 99), millis(sorted[sorted.length - 1]));
	}

	private static @Nullable Double millis(long[] sortedMicros, int percent) {
		OptionalLong rank = Percentile.rank(sortedMicros.length, percent);
		return rank.isPresent() ? Double.valueOf(millis(sortedMicros[(int) rank.getAsLong() - 1])) : null;
	}

	private static double millis(double micros) {
		return micros / 1_000;
	}

}
