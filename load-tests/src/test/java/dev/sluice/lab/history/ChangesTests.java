package dev.sluice.lab.history;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.data.Offset.offset;

/** Generated series, each with its own seed. */
@Tag("full")
class ChangesTests {

	/**
	 * Relative scatter of a run's median over several repetitions on a shared machine.
	 */
	private static final double NOISE = 0.04;

	private static final int RUNS = 40;

	@Test
	void noiseAloneIsSeldomAChange() {
		int series = 400;

		long alarms = IntStream.range(0, series)
			.filter((seed) -> !quiet(Changes.of(series(seed, RUNS, NOISE, (_) -> 1))))
			.count();

		// The search alone has 1 % false alarms, and so has the test of a trend; 20 of
		// 400 is far outside.
		assertThat(alarms).isLessThan(20).isGreaterThan(0);
	}

	@Test
	void noiseWithDisturbedRunsIsSeldomAChangeEither() {
		int series = 200;

		long alarms = IntStream.range(0, series).filter((seed) -> {
			double[] values = series(seed, RUNS, NOISE, (_) -> 1);
			Random random = new Random(seed);
			for (int i = 0; i < 4; i++) {
				values[random.nextInt(RUNS)] *= 0.5;
			}
			return !quiet(Changes.of(values));
		}).count();

		assertThat(alarms).isLessThan(12);
	}

	@Test
	void aStepOfTenPerCentIsFoundAtItsPlaceWithItsSize() {
		int found = 0;
		int covered = 0;
		int placed = 0;
		for (int seed = 0; seed < 100; seed++) {
			Changes changes = Changes.of(series(seed, RUNS, NOISE, (run) -> (run < 25) ? 1 : 0.9));
			if (changes.points().size() == 1) {
				Changes.Point point = changes.points().getFirst();
				found++;
				covered += (point.low() < 0.9 && point.high() > 0.9) ? 1 : 0;
				placed += (point.earliest() <= 25 && point.latest() >= 25) ? 1 : 0;
				assertThat(point.ratio()).isBetween(0.83, 0.97);
				assertThat(point.at()).isBetween(18, 32);
			}
		}

		assertThat(found).isGreaterThanOrEqualTo(90);
		assertThat(covered).isGreaterThanOrEqualTo(found * 85 / 100);
		assertThat(placed).isGreaterThanOrEqualTo(found * 90 / 100);
	}

	@Test
	void twoStepsAreTwoChanges() {
		Changes changes = Changes.of(series(1, 60, NOISE, (run) -> (run < 20) ? 1 : (run < 40) ? 1.3 : 0.9));

		assertThat(changes.points()).hasSize(2);
		assertThat(changes.points().getFirst().at()).isBetween(19, 21);
		assertThat(changes.points().getLast().at()).isBetween(39, 41);
	}

	@Test
	void aDriftIsNoStep() {
		int drifts = 0;
		for (int seed = 0; seed < 50; seed++) {
			Changes changes = Changes.of(series(seed, RUNS, NOISE, (run) -> Math.pow(1.005, run)));
			if (changes.drift() != null) {
				drifts++;
				assertThat(changes.points()).isEmpty();
				assertThat(changes.drift().perRun()).isBetween(1.002, 1.008);
			}
		}

		assertThat(drifts).isGreaterThanOrEqualTo(40);
	}

	@Test
	void fewRunsSayNothingHoweverGreatTheChange() {
		Changes changes = Changes.of(series(1, Changes.MIN_RUNS - 1, 0, (run) -> (run < 5) ? 1 : 2));

		assertThat(changes.hasEnoughRuns()).isFalse();
		assertThat(quiet(changes)).isTrue();
	}

	@Test
	void theLeastNumberOfRunsCanShowAChange() {
		Changes changes = Changes.of(series(1, Changes.MIN_RUNS, NOISE, (run) -> (run < 5) ? 1 : 2));

		assertThat(changes.points()).singleElement().satisfies((point) -> assertThat(point.at()).isEqualTo(5));
	}

	@Test
	void equalFiguresAreNoChange() {
		assertThat(quiet(Changes.of(series(1, RUNS, 0, (_) -> 3)))).isTrue();
	}

	/**
	 * By hand: two groups of five runs have 252 orders. The smallest values of the
	 * statistic, 0, 1 and 2, have 1, 1 and 2 of them, together less than 2.5 %; with
	 * value 3 it is more.
	 */
	@Test
	void theIntervalIsThatOfMannAndWhitney() {
		double[] values = { 1.2, 1, 1.4, 1.1, 1.3, 2.2, 2, 2.4, 2.1, 2.3 };

		Changes.Point point = Changes.of(values).points().getFirst();

		double[] ratios = Arrays.stream(values, 5, 10)
			.flatMap((after) -> Arrays.stream(values, 0, 5).map((before) -> after / before))
			.sorted()
			.toArray();
		assertThat(point.low()).isCloseTo(ratios[2], offset(1e-9));
		assertThat(point.high()).isCloseTo(ratios[22], offset(1e-9));
	}

	@Test
	void figuresThatAreNoRatesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Changes.of(new double[] { 1, 0 }));
	}

	private static boolean quiet(Changes changes) {
		return changes.points().isEmpty() && changes.drift() == null;
	}

	private static double[] series(int seed, int runs, double noise, IntToDoubleFunction level) {
		Random random = new Random(seed);
		return IntStream.range(0, runs)
			.mapToDouble((run) -> 1_000 * level.applyAsDouble(run) * Math.exp(noise * random.nextGaussian()))
			.toArray();
	}

}
