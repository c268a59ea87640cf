package dev.sluice.lab.statistics;

import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

import dev.sluice.lab.kit.statistics.PairedComparison;

/**
 * Comparisons as the report makes them, many times over: of a thing with itself, and with
 * one that is slower by {@link PairedComparison#MARGIN}. Each is planned as a user would:
 * a few pairs tell how many are needed, and as many are measured.
 *
 * @param trials how many of each kind
 * @param alike comparisons of a thing with itself that found no difference
 * @param found comparisons with the slower one that found it slower
 * @param leastPairs that were asked for
 * @param mostPairs that were asked for
 */
record Trials(int trials, int alike, int found, int leastPairs, int mostPairs) {

	/** Pairs that a plan is made from. */
	static final int PILOT = 10;

	/** What the slower one has of the other's rate. */
	static final double SLOWER = 1 / (1 + PairedComparison.MARGIN);

	/** More than this many pairs nobody measures. */
	private static final int MOST_PAIRS = 500;

	static Trials run(int trials, PairNoise noise, RandomGenerator random) {
		int alike = 0;
		int found = 0;
		int least = MOST_PAIRS;
		int most = 0;
		for (int trial = 0; trial < trials; trial++) {
			IntFunction<PairedComparison> same = (pairs) -> noise.compare(pairs, 1, random);
			IntFunction<PairedComparison> slower = (pairs) -> noise.compare(pairs, SLOWER, random);
			PairedComparison ofItself = planned(same);
			PairedComparison ofSlower = planned(slower);
			alike += switch (ofItself.verdict()) {
				case SAME, OPEN -> 1;
				case FASTER, SLOWER, TOO_FEW_PAIRS -> 0;
			};
			found += (ofSlower.verdict() == PairedComparison.Verdict.SLOWER) ? 1 : 0;
			least = Math.min(least, Math.min(ofItself.pairs(), ofSlower.pairs()));
			most = Math.max(most, Math.max(ofItself.pairs(), ofSlower.pairs()));
		}
		return new Trials(trials, alike, found, least, most);
	}

	private static PairedComparison planned(IntFunction<PairedComparison> comparison) {
		return comparison.apply(Math.min(MOST_PAIRS, comparison.apply(PILOT).pairsNeeded()));
	}

}
