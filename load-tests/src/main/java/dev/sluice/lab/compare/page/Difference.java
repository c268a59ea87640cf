package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.statistics.PairedComparison.Verdict;

/**
 * Whether a variant is faster than another, or the figures are inconclusive.
 *
 * @param series the second of each pair
 * @param what the variants, in words
 * @param marked whether a cell of a pair is unreliable
 */
record Difference(Series series, String load, String what, PairedComparison comparison, boolean marked) {

	/** Each variant with the first, at the load that is shown in detail. */
	static List<Difference> of(RunResult run) {
		List<Difference> differences = new ArrayList<>();
		for (Series other : Coordinates.series(run)) {
			Series first = Coordinates.series(run)
				.stream()
				.filter((series) -> series.capacity().equals(other.capacity()) && series.mode().equals(other.mode()))
				.findFirst()
				.orElse(other);
			int load = Coordinates.closeLoad(run, other.capacity()).orElse(0);
			Map<Integer, CellResult> one = byRepetition(run, first, load);
			SortedMap<Integer, CellResult> two = byRepetition(run, other, load);
			List<Integer> both = two.keySet().stream().filter(one::containsKey).toList();
			if (!first.equals(other) && !both.isEmpty()) {
				differences.add(of(run, other, load, "%s to %s".formatted(other.variant(), first.variant()),
						both.stream().map(one::get).toList(), both.stream().map(two::get).toList()));
			}
		}
		return differences;
	}

	private static Difference of(RunResult run, Series series, int load, String what, List<CellResult> first,
			List<CellResult> second) {
		return new Difference(series, Coordinates.kind(run).text(load), what,
				PairedComparison.of(rates(first), rates(second)),
				Stream.of(first, second).flatMap(List::stream).anyMatch(Reliability::marked));
	}

	static void write(List<Difference> differences, Html html) {
		html.paragraph(
				"Repetitions of two variants are interleaved and compared in pairs, so that disturbances of both cancel out. A difference is reported if the exact signed-rank test finds it at 1 %%, of at least %s pairs; the interval, at 99 %%, has what the test does not exclude. “The same” is reported if two one-sided tests at 5 %% each exclude a difference of %s. Otherwise the table says what may hide in the interval. The last column has the pairs that would find a difference of %s in nine of ten runs, by the noise of these."
					.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(PairedComparison.MARGIN),
							Figures.percent(PairedComparison.MARGIN)));
		html.table(table("Orders saved per second, as a multiple of the first variant's", differences));
	}

	/** Cells with a rate, in the order they were run. */
	private static SortedMap<Integer, CellResult> byRepetition(RunResult run, Series series, int load) {
		return Coordinates.at(run, series, load)
			.stream()
			.filter((cell) -> cell.savedPerSecond() > 0)
			.collect(Collectors.toMap((cell) -> cell.cell().repetition(), (cell) -> cell, (one, _) -> one,
					TreeMap::new));
	}

	private static double[] rates(List<CellResult> cells) {
		return cells.stream().mapToDouble(CellResult::savedPerSecond).toArray();
	}

	private static Table table(String caption, List<Difference> differences) {
		return Table.of(caption, differences,
				List.of(Column.words("Backend", (each) -> each.series().capacity()),
						Column.words("Mode", (each) -> each.series().mode()), Column.words("load", Difference::load),
						Column.words("Variant", Difference::what).marked(Difference::marked),
						Column.words("verdict", (each) -> verdict(each.comparison())),
						Column.measured("ratio", (each) -> each.comparison().medianRatio()),
						Column.figure("from", (each) -> end(each.comparison(), each.comparison().low())),
						Column.figure("to", (each) -> end(each.comparison(), each.comparison().high())),
						Column.measured("p", (each) -> each.comparison().probability()),
						Column.count("pairs", (each) -> each.comparison().pairs()),
						Column.count("pairs for 10 %", (each) -> each.comparison().pairsNeeded())));
	}

	private static String end(PairedComparison comparison, double end) {
		return (comparison.verdict() == Verdict.TOO_FEW_PAIRS) ? Figures.NONE : Figures.measured(end);
	}

	private static String verdict(PairedComparison comparison) {
		return switch (comparison.verdict()) {
			case FASTER -> "faster";
			case SLOWER -> "slower";
			case SAME -> "the same within %s".formatted(Figures.percent(PairedComparison.MARGIN));
			case INCONCLUSIVE ->
				"inconclusive: a difference of up to %s may hide".formatted(Figures.percent(comparison.mayHide()));
			case TOO_FEW_PAIRS -> "too few pairs: for %s about %s are needed"
				.formatted(Figures.percent(PairedComparison.MARGIN), Figures.count(comparison.pairsNeeded()));
		};
	}

}
