package dev.sluice.lab.kit.cell;

import java.util.Arrays;

/**
 * Whether one of two things is faster, from rates that were measured in pairs, each pair
 * close in time: what a shared machine does to both cancels out in the ratio. Pairs must
 * be independent of each other.
 * <p>
 * The test is Wilcoxon's signed-rank test on the logarithms of the ratios: the
 * permutation test in which each pair may have come either way round, computed exactly.
 * The estimate is Hodges and Lehmann's, the median of the means of any two ratios, and
 * the intervals are what the test does not reject. They hold for any symmetric noise,
 * including the outliers of a shared machine, and lose a twentieth against a t-test if
 * the noise is normal.
 * <p>
 * A difference is reported at the level {@value #LEVEL}: 20 comparisons of a thing with
 * itself almost always find none. The two are called the same if two one-sided tests at
 * {@value #SAME_LEVEL} each exclude a difference of {@link #MARGIN}.
 *
 * @param medianRatio estimate of the second's rate divided by the first's
 * @param low lower end of the 99 % interval of the ratio; with too few pairs, their least
 * @param high its upper end; with too few pairs, their greatest
 * @param same whether a difference of {@link #MARGIN} either way is excluded
 * @param probability of ratios at least as far from 1 if there were no difference
 * @param pairs number of pairs
 */
public record PairedComparison(double medianRatio, double low, double high, boolean same, double probability,
		int pairs) {

	/** With fewer, the test cannot reach its level: 2 of 128 is more than 1 %. */
	public static final int MIN_PAIRS = 8;

	/** The difference that is looked for, as a share: 10 %. */
	public static final double MARGIN = 0.10;

	private static final double LEVEL = 0.01;

	private static final double SAME_LEVEL = 0.05;

	/** The result of a comparison. */
	public enum Verdict {

		/** The second is faster. */
		FASTER,

		/** The second is slower. */
		SLOWER,

		/** A difference of {@link PairedComparison#MARGIN} or more is excluded. */
		SAME,

		/** They may differ by more than that, and may be the same. */
		INCONCLUSIVE,

		/** Nothing can be said. */
		TOO_FEW_PAIRS

	}

	/**
	 * Compares.
	 * @param first rates above 0, at least one
	 * @param second the rates measured next to them, as many
	 */
	public static PairedComparison of(double[] first, double[] second) {
		double[] logs = new double[first.length];
		Arrays.setAll(logs, (i) -> Math.log(second[i] / first[i]));
		double[] means = means(logs);
		double[] cumulative = cumulative(logs.length);
		// With too few pairs none is outside, and the interval is their range.
		int outside = Math.max(1, outside(cumulative, LEVEL / 2));
		int outsideSame = outside(cumulative, SAME_LEVEL);
		double margin = Math.log(1 + MARGIN);
		boolean same = outsideSame > 0 && means[outsideSame - 1] > -margin
				&& means[means.length - outsideSame] < margin;
		return new PairedComparison(Math.exp(median(means)), Math.exp(means[outside - 1]),
				Math.exp(means[means.length - outside]), same, probability(means, cumulative), logs.length);
	}

	/** The means of any two values, including each with itself, sorted. */
	private static double[] means(double[] values) {
		double[] means = new double[values.length * (values.length + 1) / 2];
		int next = 0;
		for (int i = 0; i < values.length; i++) {
			for (int j = i; j < values.length; j++) {
				means[next++] = (values[i] + values[j]) / 2;
			}
		}
		Arrays.sort(means);
		return means;
	}

	private static double median(double[] sorted) {
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	/**
	 * By rank sum: the probability that the ranks of the positive pairs add up to that or
	 * less, if each pair is as often positive as negative.
	 */
	private static double[] cumulative(int pairs) {
		int most = pairs * (pairs + 1) / 2;
		double[] cumulative = new double[most + 1];
		cumulative[0] = 1;
		for (int rank = 1; rank <= pairs; rank++) {
			for (int sum = most; sum >= 0; sum--) {
				cumulative[sum] = (cumulative[sum] + ((sum >= rank) ? cumulative[sum - rank] : 0)) / 2;
			}
		}
		Arrays.parallelPrefix(cumulative, Double::sum);
		return cumulative;
	}

	/** How many means on each side lie outside an interval with such tails. */
	private static int outside(double[] cumulative, double tail) {
		int outside = 0;
		while (outside < cumulative.length / 2 && cumulative[outside] <= tail) {
			outside++;
		}
		return outside;
	}

	/** The rank sum of the positive pairs is the number of positive means. */
	private static double probability(double[] means, double[] cumulative) {
		long above = Arrays.stream(means).filter((mean) -> mean > 0).count();
		long below = Arrays.stream(means).filter((mean) -> mean < 0).count();
		return Math.min(1, 2 * cumulative[(int) Math.min(means.length - above, means.length - below)]);
	}

	public Verdict verdict() {
		if (this.pairs < MIN_PAIRS) {
			return Verdict.TOO_FEW_PAIRS;
		}
		if (this.low > 1) {
			return Verdict.FASTER;
		}
		if (this.high < 1) {
			return Verdict.SLOWER;
		}
		return this.same ? Verdict.SAME : Verdict.INCONCLUSIVE;
	}

	/**
	 * The greatest difference that the interval does not exclude, as a share of the
	 * slower rate: 0.12 if one may be 12 % faster than the other.
	 */
	public double mayHide() {
		return Math.max(this.high, 1 / this.low) - 1;
	}

}
