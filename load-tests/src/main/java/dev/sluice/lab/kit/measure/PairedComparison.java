package dev.sluice.lab.kit.measure;

import java.util.Arrays;
import java.util.Random;

/**
 * Whether one of two things is faster, from rates that were measured in pairs, each pair
 * close in time: what a shared machine does to both cancels out in the ratio.
 * <p>
 * The interval is the bootstrap's of the median ratio, at 99 %: of 20 comparisons of a
 * thing with itself, 19 are to find no difference almost always, and at 95 % one in four
 * of such series would not. A difference is said only of at least {@link #LEAST_PAIRS}
 * pairs: with fewer, all may lie on one side by chance more often than that.
 *
 * @param medianRatio of the second to the first
 * @param low the interval's lower end
 * @param high its upper end
 * @param pairs how many there were
 * @param pairsNeeded about how many would tell a difference of 5 % in half of all
 * comparisons, by the spread of these; at least {@link #LEAST_PAIRS}
 */
public record PairedComparison(double medianRatio, double low, double high, int pairs, int pairsNeeded) {

	/** Heads or tails eight times alike: 2 of 256. */
	public static final int LEAST_PAIRS = 8;

	private static final int RESAMPLES = 10_000;

	private static final double TAIL = 0.005;

	/** Fixed, so that the same measurement says the same. */
	private static final long SEED = 20_261_121;

	private static final double WANTED = Math.log(1.05);

	/** Quantile of the normal distribution at 99 %. */
	private static final double Z = 2.58;

	/** The standard error of a median is that much greater than a mean's. */
	private static final double MEDIAN_FACTOR = 1.25;

	/** What can be said. */
	public enum Verdict {

		/** The second is faster. */
		FASTER,

		/** The second is slower. */
		SLOWER,

		/** The interval has 1 in it. */
		NO_DIFFERENCE,

		/** Nothing can be said. */
		TOO_FEW_PAIRS

	}

	/**
	 * Compares.
	 * @param first rates above 0
	 * @param second those measured next to them, as many
	 * @throws IllegalArgumentException if there are none, not as many, or one is not
	 * above 0
	 */
	public static PairedComparison of(double[] first, double[] second) {
		if (first.length == 0 || first.length != second.length) {
			throw new IllegalArgumentException(
					"Pairs are needed, these are %d and %d".formatted(first.length, second.length));
		}
		double[] logs = new double[first.length];
		for (int i = 0; i < logs.length; i++) {
			if (!(first[i] > 0 && second[i] > 0)) {
				throw new IllegalArgumentException(
						"Rates above 0 are needed, these are %s and %s".formatted(first[i], second[i]));
			}
			logs[i] = Math.log(second[i] / first[i]);
		}
		double[] medians = medians(logs);
		return new PairedComparison(Math.exp(median(logs.clone())),
				Math.exp(medians[(int) Math.floor(TAIL * RESAMPLES)]),
				Math.exp(medians[(int) Math.ceil((1 - TAIL) * RESAMPLES) - 1]), logs.length, needed(logs));
	}

	private static double[] medians(double[] logs) {
		Random random = new Random(SEED);
		double[] medians = new double[RESAMPLES];
		double[] sample = new double[logs.length];
		for (int i = 0; i < RESAMPLES; i++) {
			for (int j = 0; j < sample.length; j++) {
				sample[j] = logs[random.nextInt(logs.length)];
			}
			medians[i] = median(sample);
		}
		Arrays.sort(medians);
		return medians;
	}

	/** Sorts what it is given. */
	private static double median(double[] values) {
		Arrays.sort(values);
		int middle = values.length / 2;
		return (values.length % 2 == 1) ? values[middle] : (values[middle - 1] + values[middle]) / 2;
	}

	private static int needed(double[] logs) {
		double mean = Arrays.stream(logs).average().orElseThrow();
		double variance = Arrays.stream(logs).map((log) -> (log - mean) * (log - mean)).sum()
				/ Math.max(1, logs.length - 1);
		return (int) Math.max(LEAST_PAIRS, Math.ceil(Math.pow(Z * MEDIAN_FACTOR * Math.sqrt(variance) / WANTED, 2)));
	}

	public Verdict verdict() {
		if (this.pairs < LEAST_PAIRS) {
			return Verdict.TOO_FEW_PAIRS;
		}
		return (this.low > 1) ? Verdict.FASTER : (this.high < 1) ? Verdict.SLOWER : Verdict.NO_DIFFERENCE;
	}

}
