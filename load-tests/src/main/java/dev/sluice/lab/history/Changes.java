package dev.sluice.lab.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Finds the points at which a series of figures, one for each run, changes its level, or
 * a drift.
 * <p>
 * Change points are found by binary segmentation: the greatest standardised CUSUM
 * statistic of all splits is compared with those of permutations of the runs; if it is
 * significant at {@value #LEVEL}, each side is searched again. This is the scheme of
 * E-divisive (Matteson and James, JASA 109, 2014), which MongoDB (Daly et al., ICPE 2020)
 * and Hunter (Fleming et al., ICPE 2023) apply to benchmarks. Here it has one figure, and
 * ranks in place of distances, so that the size of a disturbance does not matter. Runs
 * are permuted, not their repetitions, which share the state of the machine.
 * <p>
 * A straight line in time is a drift, not a change point. It is reported instead of
 * change points if Mann's trend test finds it by the same permutations and a line
 * explains the figures better than steps do (Schwarz' criterion).
 *
 * @param values one for each run, above 0, in the order of time
 * @param points the change points in the order of time; empty if there is none or there
 * is a drift
 * @param drift null if there is none
 */
record Changes(double[] values, List<Point> points, @Nullable Drift drift) {

	/**
	 * With fewer, no split is significant: nine runs can be split into four and five in
	 * 126 ways, and 2 of 126 is more than 1 %.
	 */
	static final int MIN_RUNS = 10;

	static final double LEVEL = 0.01;

	/**
	 * Least number of runs of a level, so that one or two disturbed runs are not a level.
	 */
	static final int MIN_RUNS_ON_A_SIDE = 3;

	private static final int PERMUTATIONS = 1_999;

	/** Fixed, so that the same figures give the same answer. */
	private static final long SEED = 16;

	private static final double TAIL = 0.025;

	private static final double Z = 1.96;

	/** Half of the 95 % quantile of chi-squared with one degree of freedom. */
	private static final double PROFILE = 1.92;

	/** Variance of figures that are all equal. */
	private static final double MIN_VARIANCE = 1e-12;

	/**
	 * A change of the level.
	 *
	 * @param at first run of the new level
	 * @param earliest earliest run that may be the first, at 95 %
	 * @param latest latest run that may be the first, at 95 %
	 * @param ratio ratio of the new level to the old one, by Hodges and Lehmann
	 * @param low lower end of the ratio's 95 % interval, by Mann and Whitney; 0 if the
	 * levels are too short for one
	 * @param high upper end of the interval; infinite if the levels are too short
	 */
	record Point(int at, int earliest, int latest, double ratio, double low, double high) {
	}

	/**
	 * A drift.
	 *
	 * @param perRun factor from one run to the next, by Theil and Sen
	 * @param low lower end of its 95 % interval
	 * @param high upper end of the interval
	 */
	record Drift(double perRun, double low, double high) {
	}

	/**
	 * Searches a series for changes.
	 * @param values one for each run, in the order of time
	 * @throws IllegalArgumentException if one is not above 0
	 */
	static Changes of(double[] values) {
		if (Arrays.stream(values).anyMatch((value) -> !(value > 0 && value < Double.POSITIVE_INFINITY))) {
			throw new IllegalArgumentException("Figures above 0 are needed: " + Arrays.toString(values));
		}
		double[] logs = Arrays.stream(values).map(Math::log).toArray();
		List<Integer> splits = new ArrayList<>();
		search(logs, 0, logs.length, splits);
		splits.sort(Comparator.naturalOrder());
		Drift drift = drift(logs, splits);
		return new Changes(values.clone(), (drift != null) ? List.of() : points(logs, splits), drift);
	}

	/** Whether there are enough runs to find a change. */
	boolean hasEnoughRuns() {
		return this.values.length >= MIN_RUNS;
	}

	/** The first run of each level, and the number of runs. */
	int[] bounds() {
		return IntStream
			.concat(IntStream.of(0),
					IntStream.concat(this.points.stream().mapToInt(Point::at), IntStream.of(this.values.length)))
			.toArray();
	}

	private static void search(double[] logs, int from, int to, List<Integer> splits) {
		int length = to - from;
		if (length < MIN_RUNS) {
			return;
		}
		double[] ranks = ranks(Arrays.copyOfRange(logs, from, to));
		int best = split(ranks);
		double statistic = cusum(ranks, best);
		if (statistic > 0 && probability(ranks, statistic, (permuted) -> cusum(permuted, split(permuted))) <= LEVEL) {
			splits.add(from + best);
			search(logs, from, from + best, splits);
			search(logs, from + best, to, splits);
		}
	}

	/** The split with the greatest statistic. */
	private static int split(double[] ranks) {
		int best = MIN_RUNS_ON_A_SIDE;
		double greatest = -1;
		double centre = (ranks.length + 1) / 2.0;
		double sum = 0;
		for (int k = 1; k <= ranks.length - MIN_RUNS_ON_A_SIDE; k++) {
			sum += ranks[k - 1] - centre;
			double statistic = standardised(sum, k, ranks.length);
			if (k >= MIN_RUNS_ON_A_SIDE && statistic > greatest) {
				greatest = statistic;
				best = k;
			}
		}
		return best;
	}

	private static double cusum(double[] ranks, int k) {
		double centre = (ranks.length + 1) / 2.0;
		double sum = 0;
		for (int i = 0; i < k; i++) {
			sum += ranks[i] - centre;
		}
		return standardised(sum, k, ranks.length);
	}

	private static double standardised(double sum, int k, int length) {
		return Math.abs(sum) / Math.sqrt((double) k * (length - k) / length);
	}

	/** A statistic of ranks in a given order. */
	@FunctionalInterface
	private interface Statistic {

		double of(double[] ranks);

	}

	/**
	 * Probability of a statistic at least as great if the order of the runs did not
	 * matter.
	 */
	private static double probability(double[] ranks, double observed, Statistic statistic) {
		double[] permuted = ranks.clone();
		Random random = new Random(SEED);
		int asGreat = 1;
		for (int i = 0; i < PERMUTATIONS; i++) {
			for (int last = permuted.length - 1; last > 0; last--) {
				int other = random.nextInt(last + 1);
				double value = permuted[last];
				permuted[last] = permuted[other];
				permuted[other] = value;
			}
			if (statistic.of(permuted) >= observed * (1 - 1e-9)) {
				asGreat++;
			}
		}
		return asGreat / (PERMUTATIONS + 1.0);
	}

	/** Ranks from 1; equal values get the mean of their ranks. */
	private static double[] ranks(double[] values) {
		double[] ranks = new double[values.length];
		for (int i = 0; i < values.length; i++) {
			int below = 0;
			int equal = 0;
			for (double other : values) {
				below += (other < values[i]) ? 1 : 0;
				equal += (other == values[i]) ? 1 : 0;
			}
			ranks[i] = below + (equal + 1) / 2.0;
		}
		return ranks;
	}

	private static @Nullable Drift drift(double[] logs, List<Integer> splits) {
		int n = logs.length;
		if (n < MIN_RUNS) {
			return null;
		}
		double[] ranks = ranks(logs);
		double trend = trend(ranks);
		if (!(trend > 0) || probability(ranks, trend, Changes::trend) > LEVEL) {
			return null;
		}
		double steps = 0;
		int from = 0;
		for (int i = 0; i <= splits.size(); i++) {
			int to = (i < splits.size()) ? splits.get(i) : n;
			steps += squares(logs, from, to);
			from = to;
		}
		double line = lineSquares(logs);
		if (criterion(n, line, 2) >= criterion(n, steps, 1 + 2 * splits.size())) {
			return null;
		}
		double[] slopes = new double[n * (n - 1) / 2];
		int next = 0;
		for (int i = 0; i < n; i++) {
			for (int j = i + 1; j < n; j++) {
				slopes[next++] = (logs[j] - logs[i]) / (j - i);
			}
		}
		Arrays.sort(slopes);
		double reach = Z * Math.sqrt(n * (n - 1.0) * (2 * n + 5) / 18);
		int outside = (int) Math.max(0, Math.floor((slopes.length - reach) / 2));
		return new Drift(Math.exp(median(slopes)), Math.exp(slopes[outside]),
				Math.exp(slopes[slopes.length - 1 - outside]));
	}

	private static double trend(double[] ranks) {
		double sum = 0;
		for (int i = 0; i < ranks.length; i++) {
			sum += (i - (ranks.length - 1) / 2.0) * ranks[i];
		}
		return Math.abs(sum);
	}

	private static double criterion(int n, double squares, int parameters) {
		return n * Math.log(Math.max(squares / n, MIN_VARIANCE)) + parameters * Math.log(n);
	}

	private static double squares(double[] values, int from, int to) {
		double mean = Arrays.stream(values, from, to).average().orElse(0);
		return Arrays.stream(values, from, to).map((value) -> (value - mean) * (value - mean)).sum();
	}

	private static double lineSquares(double[] values) {
		double middle = (values.length - 1) / 2.0;
		double mean = Arrays.stream(values).average().orElse(0);
		double xy = 0;
		double xx = 0;
		for (int i = 0; i < values.length; i++) {
			xy += (i - middle) * (values[i] - mean);
			xx += (i - middle) * (i - middle);
		}
		return Math.max(0, squares(values, 0, values.length) - xy * xy / xx);
	}

	private static List<Point> points(double[] logs, List<Integer> splits) {
		List<Point> points = new ArrayList<>();
		for (int i = 0; i < splits.size(); i++) {
			int from = (i > 0) ? splits.get(i - 1) : 0;
			int to = (i + 1 < splits.size()) ? splits.get(i + 1) : logs.length;
			points.add(point(logs, from, splits.get(i), to));
		}
		return points;
	}

	private static Point point(double[] logs, int from, int at, int to) {
		double[] differences = new double[(at - from) * (to - at)];
		int next = 0;
		for (int i = from; i < at; i++) {
			for (int j = at; j < to; j++) {
				differences[next++] = logs[j] - logs[i];
			}
		}
		Arrays.sort(differences);
		int outside = outside(at - from, to - at);
		double least = split(logs, from, at, to);
		int earliest = at;
		int latest = at;
		double limit = 2 * PROFILE / (to - from);
		for (int k = from + 1; k < to; k++) {
			if (Math.log(split(logs, from, k, to) / least) <= limit) {
				earliest = Math.min(earliest, k);
				latest = Math.max(latest, k);
			}
		}
		return new Point(at, earliest, latest, Math.exp(median(differences)),
				(outside > 0) ? Math.exp(differences[outside - 1]) : 0,
				(outside > 0) ? Math.exp(differences[differences.length - outside]) : Double.POSITIVE_INFINITY);
	}

	private static double split(double[] logs, int from, int at, int to) {
		return Math.max(squares(logs, from, at) + squares(logs, at, to), MIN_VARIANCE);
	}

	/**
	 * Number of sorted differences outside the interval on each side: the largest number
	 * of values of the Mann-Whitney statistic, from 0 on, whose total probability does
	 * not exceed that of the tail.
	 */
	private static int outside(int first, int second) {
		int most = first * second;
		double[] ways = new double[most + 1];
		ways[0] = 1;
		for (int i = 1; i <= first; i++) {
			for (int u = most; u >= second + i; u--) {
				ways[u] -= ways[u - second - i];
			}
			for (int u = i; u <= most; u++) {
				ways[u] += ways[u - i];
			}
			// Scaled to probabilities at each step, so that the numbers stay small.
			double share = (double) i / (second + i);
			for (int u = 0; u <= most; u++) {
				ways[u] *= share;
			}
		}
		int outside = 0;
		double sum = 0;
		while (outside < ways.length / 2 && sum + ways[outside] <= TAIL) {
			sum += ways[outside];
			outside++;
		}
		return outside;
	}

	static double median(double[] sorted) {
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

}
