package dev.sluice.lab.kit.measure;

import java.util.Random;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.measure.PairedComparison.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PairedComparisonTests {

	/** Of a pair, as it was seen on two shared cores. */
	private static final double PAIR_NOISE = 0.14;

	/** Of the machine, from slice to slice: the same for both of a pair. */
	private static final double SLICE_NOISE = 0.27;

	@ParameterizedTest
	@ValueSource(ints = { 8, 12, 33 })
	void findsNoDifferenceOfAThingToItselfInAtLeastNineteenOfTwentyTrials(int pairs) {
		long without = IntStream.range(0, 20)
			.filter((trial) -> compare(pairs, 1, new Random(trial)).verdict() == Verdict.NO_DIFFERENCE)
			.count();

		assertThat(without).isGreaterThanOrEqualTo(19);
	}

	@Test
	void keepsItsPromiseOverManyTrials() {
		long without = IntStream.range(0, 300)
			.filter((trial) -> compare(10, 1, new Random(1_000 + trial)).verdict() == Verdict.NO_DIFFERENCE)
			.count();

		assertThat(without).isGreaterThanOrEqualTo(285);
	}

	@Test
	void findsADifferenceThatIsThere() {
		assertThat(compare(33, 1.25, new Random(1)).verdict()).isEqualTo(Verdict.FASTER);
		assertThat(compare(33, 0.8, new Random(1)).verdict()).isEqualTo(Verdict.SLOWER);
	}

	@Test
	void saysHowManyPairsItWouldTake() {
		PairedComparison few = compare(5, 1.5, new Random(1));

		assertThat(few.verdict()).isEqualTo(Verdict.TOO_FEW_PAIRS);
		assertThat(few.pairsNeeded()).isBetween(20, 300);
		assertThat(PairedComparison.of(new double[] { 1, 2 }, new double[] { 2, 4 }).pairsNeeded())
			.isEqualTo(PairedComparison.LEAST_PAIRS);
	}

	@Test
	void theIntervalHoldsTheMedian() {
		PairedComparison comparison = compare(20, 1.1, new Random(3));

		assertThat(comparison.medianRatio()).isBetween(comparison.low(), comparison.high());
		assertThat(comparison).isEqualTo(compare(20, 1.1, new Random(3)));
	}

	@Test
	void refusesWhatAreNoPairs() {
		assertThatIllegalArgumentException().isThrownBy(() -> PairedComparison.of(new double[0], new double[0]));
		assertThatIllegalArgumentException().isThrownBy(() -> PairedComparison.of(new double[2], new double[1]));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> PairedComparison.of(new double[] { 1 }, new double[] { 0 }));
	}

	private static PairedComparison compare(int pairs, double ratio, Random random) {
		double[] first = new double[pairs];
		double[] second = new double[pairs];
		for (int i = 0; i < pairs; i++) {
			double slice = 1_000 * Math.exp(SLICE_NOISE * random.nextGaussian());
			first[i] = slice * Math.exp(PAIR_NOISE / Math.sqrt(2) * random.nextGaussian());
			second[i] = ratio * slice * Math.exp(PAIR_NOISE / Math.sqrt(2) * random.nextGaussian());
		}
		return PairedComparison.of(first, second);
	}

}
