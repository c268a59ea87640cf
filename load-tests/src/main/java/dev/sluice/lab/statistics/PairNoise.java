package dev.sluice.lab.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Differences between two neighbouring measurements of the same thing, as logarithms of
 * their ratio, drawn from a normal distribution or from recorded runs.
 *
 * @param deviation standard deviation of the logarithms
 * @param recorded recorded differences, around 0; empty to draw from the normal
 * distribution
 */
record PairNoise(double deviation, List<Double> recorded) {

	/** As measured on two shared cores. */
	static final double USUAL = 0.14;

	PairNoise {
		recorded = List.copyOf(recorded);
	}

	/** Normal noise. */
	static PairNoise normal(double deviation) {
		return new PairNoise(deviation, List.of());
	}

	/**
	 * The differences of each cell's repetitions from the previous ones. They include
	 * trends, which are noise in a comparison.
	 */
	static PairNoise of(List<RunResult> runs) {
		List<Double> differences = new ArrayList<>();
		for (RunResult run : runs) {
			Map<List<Object>, TreeMap<Integer, Double>> series = run.cells()
				.stream()
				.filter((cell) -> cell.savedPerSecond() > 0)
				.collect(Collectors.groupingBy(PairNoise::series, Collectors.toMap((cell) -> cell.cell().repetition(),
						CellResult::savedPerSecond, (one, _) -> one, TreeMap::new)));
			for (TreeMap<Integer, Double> rates : series.values()) {
				rates.forEach((repetition, rate) -> {
					Double next = rates.get(repetition + 1);
					if (repetition % 2 == 1 && next != null) {
						differences.add(Math.log(next / rate));
					}
				});
			}
		}
		double square = differences.stream().mapToDouble((difference) -> difference * difference).average().orElse(0);
		return new PairNoise(Math.sqrt(square), differences);
	}

	private static List<Object> series(CellResult cell) {
		return List.of(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(), cell.cell().load());
	}

	/**
	 * The logarithm of one pair's ratio, with a random sign as either of a pair may have
	 * come first.
	 */
	private double next(RandomGenerator random) {
		if (this.recorded.isEmpty()) {
			return this.deviation * random.nextGaussian();
		}
		double difference = this.recorded.get(random.nextInt(this.recorded.size()));
		return random.nextBoolean() ? difference : -difference;
	}

	/**
	 * Compares one thing with another that has a multiple of its rate.
	 * @param pairs number of pairs to draw
	 */
	PairedComparison compare(int pairs, double ratio, RandomGenerator random) {
		double[] first = new double[pairs];
		double[] second = new double[pairs];
		for (int i = 0; i < pairs; i++) {
			first[i] = 1;
			second[i] = ratio * Math.exp(next(random));
		}
		return PairedComparison.of(first, second);
	}

}
