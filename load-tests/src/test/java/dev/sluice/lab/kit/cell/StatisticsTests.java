package dev.sluice.lab.kit.cell;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.PairedComparison.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class StatisticsTests {

	/** Noise of a pair, as it was seen on two shared cores. */
	private static final double PAIR_NOISE = 0.14;

	/** Noise of the machine from slice to slice, the same for both cells of a pair. */
	private static final double SLICE_NOISE = 0.27;

	@ParameterizedTest
	@ValueSource(ints = { 8, 12, 33, 120 })
	void saysADifferenceOfAThingToItselfInOneOfAHundredTrialsAtMost(int pairs) {
		int trials = trials(2_000);
		long said = IntStream.range(0, trials)
			.filter((trial) -> saysDifference(compare(pairs, 1, PAIR_NOISE, new Random(trial))))
			.count();

		assertThat((double) said).isLessThanOrEqualTo(most(trials, 0.01));
	}

	@ParameterizedTest
	@ValueSource(ints = { 8, 20, 60 })
	void saysTheSameOfADifferenceOfTheMarginInOneOfTwentyTrialsAtMost(int pairs) {
		int trials = trials(1_000);
		long said = IntStream.range(0, trials)
			.filter((trial) -> compare(pairs, 1 + PairedComparison.MARGIN, 0.05, new Random(trial))
				.verdict() == Verdict.SAME)
			.count();

		assertThat((double) said).isLessThanOrEqualTo(most(trials, 0.05));
	}

	@Test
	void saysTheSameWhereTheNoiseIsSmallAndThePairsMany() {
		assertThat(compare(40, 1.01, 0.05, new Random(1)).verdict()).isEqualTo(Verdict.SAME);
		assertThat(compare(8, 1, PAIR_NOISE, new Random(1)).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
	}

	/**
	 * The values were computed by another program, from the exact distribution of the
	 * signed ranks.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					# heads or tails eight times alike
					1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 | 1.4352361863 | 1.1 | 1.8 | 0.0078125 | FASTER
					1.1 0.9 1.3 1.0 1.2 0.8 1.05 1.15 1.4 0.95 | 1.0723805295 | 0.8944271910 | 1.2961481397 | 0.322265625 | INCONCLUSIVE
					1 1 1 1 1 1 1 1 | 1 | 1 | 1 | 1 | SAME
					# the estimate is the median of the means of any two, of three and of six
					2 8    | 4            | 2 | 8  | 0.5 | TOO_FEW_PAIRS
					1 2 16 | 2.8284271247 | 1 | 16 | 0.5 | TOO_FEW_PAIRS
					# an outlier does not hide a difference
					1.15 1.151 1.152 0.02 1.154 1.155 1.156 1.157 1.158 1.159 1.16 1.161 | 1.1549997835 | 0.1521183750 | 1.1589995686 | 0.0341796875 | INCONCLUSIVE
					""")
	void agreesWithAnotherProgramOnFewPairs(String ratios, double median, double low, double high, double probability,
			Verdict verdict) {
		PairedComparison few = of(Stream.of(ratios.split(" ")).mapToDouble(Double::parseDouble).toArray());

		assertThat(few.medianRatio()).isCloseTo(median, within(1e-9));
		assertThat(few.low()).isCloseTo(low, within(1e-9));
		assertThat(few.high()).isCloseTo(high, within(1e-9));
		assertThat(few.probability()).isCloseTo(probability, within(1e-9));
		assertThat(few.verdict()).isEqualTo(verdict);
	}

	@Test
	void agreesWithAnotherProgramOnManyPairs() {
		PairedComparison many = of(
				IntStream.range(0, 121).mapToDouble((i) -> Math.exp(((i * 37) % 121 - 51.3) / 200)).toArray());

		assertThat(Math.log(many.medianRatio())).isCloseTo(0.0435, within(1e-9));
		assertThat(Math.log(many.low())).isCloseTo(-0.0015, within(1e-9));
		assertThat(Math.log(many.high())).isCloseTo(0.0885, within(1e-9));
		assertThat(many.probability()).isCloseTo(0.010413802158316252, within(1e-12));
	}

	@Test
	void decidesByTheInterval() {
		assertThat(interval(1.01, 1.2, 8).verdict()).isEqualTo(Verdict.FASTER);
		assertThat(interval(1.0, 1.2, 8).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
		assertThat(interval(0.8, 0.99, 8).verdict()).isEqualTo(Verdict.SLOWER);
		assertThat(interval(0.8, 1.0, 8).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
		assertThat(interval(1.01, 1.2, 7).verdict()).isEqualTo(Verdict.TOO_FEW_PAIRS);
	}

	@Test
	void mayHideTheGreatestDifferenceThatTheIntervalHolds() {
		assertThat(interval(0.8, 1.1, 8).mayHide()).isCloseTo(0.25, within(1e-9));
		assertThat(interval(0.9, 1.3, 8).mayHide()).isCloseTo(0.3, within(1e-9));
	}

	private static int trials(int all) {
		return Boolean.getBoolean("sluice.full") ? all : 100;
	}

	/** What a share of trials comes to, and three deviations. */
	private static double most(int trials, double share) {
		return trials * share + 3 * Math.sqrt(trials * share * (1 - share));
	}

	private static PairedComparison of(double... ratios) {
		double[] first = new double[ratios.length];
		Arrays.fill(first, 1);
		return PairedComparison.of(first, ratios);
	}

	private static PairedComparison interval(double low, double high, int pairs) {
		return new PairedComparison(1, low, high, false, 0.5, pairs);
	}

	private static boolean saysDifference(PairedComparison comparison) {
		return switch (comparison.verdict()) {
			case FASTER, SLOWER -> true;
			case SAME, INCONCLUSIVE, TOO_FEW_PAIRS -> false;
		};
	}

	private static PairedComparison compare(int pairs, double ratio, double noise, Random random) {
		double[] first = new double[pairs];
		double[] second = new double[pairs];
		for (int i = 0; i < pairs; i++) {
			double slice = 1_000 * Math.exp(SLICE_NOISE * random.nextGaussian());
			first[i] = slice * Math.exp(noise / Math.sqrt(2) * random.nextGaussian());
			second[i] = ratio * slice * Math.exp(noise / Math.sqrt(2) * random.nextGaussian());
		}
		return PairedComparison.of(first, second);
	}

	@Test
	void percentilesAreNearestRankInMilliseconds() {
		int[] micros = IntStream.rangeClosed(1, 1_000).map((value) -> (1_001 - value) * 1_000).toArray();

		assertThat(Timing.of(micros)).isEqualTo(new Timing(1.0, 500.5, 500.0, 950.0, 990.0, 1_000));
		assertThat(micros[0]).as("left as it was").isEqualTo(1_000_000);
		assertThat(Timing.of(new int[0])).isNull();
	}

	@Test
	void aPercentileWithFewerThanTenAboveItIsUnknown() {
		assertThat(timing(999)).isEqualTo(new Timing(1.0, 500, 500.0, 950.0, null, 999));
		assertThat(timing(199)).isEqualTo(new Timing(1.0, 100, 100.0, null, null, 199));
		assertThat(timing(19)).isEqualTo(new Timing(1.0, 10, null, null, null, 19));
	}

	@Test
	void whatNinetyNinePercentDidNotExceedIsAlwaysKnown() {
		assertThat(timing(1_000).p99AtMost()).isEqualTo(990);
		assertThat(timing(100).p99AtMost()).isEqualTo(100);
	}

	/** Each value is a millisecond more than the one before. */
	private static Timing timing(int values) {
		return Timing.of(IntStream.rangeClosed(1, values).map((value) -> 1_000 * value).toArray());
	}

}
