package dev.sluice.lab.kit.measure;

import java.util.Arrays;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.result.CellResult.Latency;
import dev.sluice.lab.kit.result.Timing;
import org.jspecify.annotations.Nullable;

/** Exact statistics of a set of latencies. */
public final class Latencies {

	private Latencies() {
	}

	/** Statistics of latencies in milliseconds, in any order; null without any. */
	public static @Nullable Latency of(long[] millis) {
		if (millis.length == 0) {
			return null;
		}
		long[] sorted = millis.clone();
		Arrays.sort(sorted);
		return new Latency(Arrays.stream(sorted).average().orElseThrow(), percentile(sorted, 50),
				percentile(sorted, 95), percentile(sorted, 99), sorted[sorted.length - 1]);
	}

	/** Statistics of times in microseconds, in any order; null without any. */
	public static @Nullable Timing timing(int[] micros) {
		if (micros.length == 0) {
			return null;
		}
		int[] sorted = micros.clone();
		Arrays.sort(sorted);
		double[] ranks = IntStream.of(50, 95, 99)
			.mapToDouble((percent) -> millis(sorted[rank(sorted.length, percent)]))
			.toArray();
		return new Timing(millis(sorted[0]), millis(Arrays.stream(sorted).average().orElseThrow()), ranks[0], ranks[1],
				ranks[2], millis(sorted[sorted.length - 1]));
	}

	private static double millis(double micros) {
		return micros / 1_000;
	}

	/**
	 * The nearest rank: the least value that at least so many percent of the values do
	 * not exceed.
	 */
	public static long percentile(long[] sorted, int percent) {
		return sorted[rank(sorted.length, percent)];
	}

	private static int rank(int length, int percent) {
		long rank = (percent * (long) length + 99) / 100;
		return (int) Math.max(rank, 1) - 1;
	}

}
