package dev.sluice.lab.statistics;

import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

import dev.sluice.lab.kit.statistics.PairedComparison;

/**
 * Many comparisons like the report's: of a thing with itself, and with one that is slower
 * by {@link PairedComparison#MARGIN}. Each is planned as a user would plan it: a few
 * pairs show how many are needed, and then that many are measured.
 *
 * @param trials number of comparisons of each kind
 * @param noDifference number of comparisons of a thing with itself that found no
 * difference
 * @param found number of comparisons with the slower one that found it slower
 * @param leastPairs least number of pairs that a plan asked for
 * @param mostPairs greatest number of pairs that a plan asked for
 */
record Trials(int trials, int noDifference, int found, int leastPairs, int mostPairs) {

	/** Number of pairs from which a plan is made. */
	static final int PILOT = 10;

	/** Rate of the slower one as a share of the other's. */
	static final double SLOWER = 1 / (1 + PairedComparison.MARGIN);

	/** Maximum number of pairs; nobody measures more. */
	private static final int MAX_PAIRS = 500;

	static Trials run(int trials, PairNoise noise, RandomGenerator random) {
		int noDifference = 0;
		int found = 0;
		int least = MAX_PAIRS;
		int most = 0;
		for (int trial = 0; trial < trials; trial++) {
			IntFunction<PairedComparison> same = (pairs) -> noise.compare(pairs, 1, random);
			IntFunction<PairedComparison> slower = (pairs) -> noise.compare(pairs, SLOWER, random);
			PairedComparison ofItself = planned(same);
			PairedComparison ofSlower = planned(slower);
			noDifference += switch (ofItself.verdict()) {
				case SAME, INCONCLUSIVE -> 1;
				case FASTER, SLOWER, TOO_FEW_PAIRS -> 0;
			};
			found += (ofSlower.verdict() == PairedComparison.Verdict.SLOWER) ? 1 : 0;
			least = Math.min(least, Math.min(ofItself.pairs(), ofSlower.pairs()));
			most = Math.max(most, Math.max(ofItself.pairs(), ofSlower.pairs()));
		}
		return new Trials(trials, noDifference, found, least, most);
	}

	private static PairedComparison planned(IntFunction<PairedComparison> comparison) {
		return comparison.apply(Math.min(MAX_PAIRS, comparison.apply(PILOT).pairsNeeded()));
	}

}
