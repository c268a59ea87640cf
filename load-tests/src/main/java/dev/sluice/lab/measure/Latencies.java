package dev.sluice.lab.measure;

import java.util.Arrays;

import dev.sluice.lab.result.CellResult.Latency;
import org.jspecify.annotations.Nullable;

/** Exact statistics of a set of latencies. */
public final class Latencies {

	private Latencies() {
	}

	/** Of latencies in milliseconds, in any order; null of none. */
	static @Nullable Latency of(long[] millis) {
		if (millis.length == 0) {
			return null;
		}
		long[] sorted = millis.clone();
		Arrays.sort(sorted);
		return new Latency(Arrays.stream(sorted).average().orElseThrow(), percentile(sorted, 50),
				percentile(sorted, 95), percentile(sorted, 99), sorted[sorted.length - 1]);
	}

	/**
	 * The nearest rank: the least value that at least so many percent of the values do
	 * not exceed.
	 */
	public static long percentile(long[] sorted, int percent) {
		long rank = (percent * (long) sorted.length + 99) / 100;
		return sorted[(int) Math.max(rank, 1) - 1];
	}

}
