package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.PairedComparison;

/** Which variant is faster than another, and where the figures are inconclusive. */
final class DifferencesSection extends Section {

	DifferencesSection() {
		super("differences", "Which differences can be believed?");
	}

	@Override
	public void write(RunResult run, Html html) {
		Table table = table("Orders saved per second, as a multiple of the first variant's");
		int rows = 0;
		for (List<Series> group : groups(run)) {
			OptionalInt load = Coordinates.closeLoad(run, group.getFirst().capacity());
			for (Series other : group.subList(1, group.size())) {
				if (load.isPresent()) {
					rows += row(table, run, group.getFirst(), other, load.getAsInt());
				}
			}
		}
		if (rows == 0) {
			html.element("p", "No two variants were measured in pairs.");
		}
		else {
			html.element("p",
					"Repetitions of two variants are interleaved and compared in pairs, so that disturbances of both cancel out. A difference is reported if the exact signed-rank test finds it at 1 %%, of at least %s pairs; the interval, at 99 %%, has what the test does not exclude. \u201cThe same\u201d is reported if two one-sided tests at 5 %% each exclude a difference of %s. Otherwise the table says what may hide in the interval. The last column has the pairs that would find a difference of %s in nine of ten runs, by the noise of these."
						.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(PairedComparison.MARGIN),
								Figures.percent(PairedComparison.MARGIN)));
			table.write(html);
		}
		againstItself(run, html);
	}

	/** Whether there are pairs, of two variants or of one variant with itself. */
	static boolean appliesTo(RunResult run) {
		return groups(run).stream().anyMatch((group) -> group.size() > 1)
				|| run.cells().stream().anyMatch((cell) -> cell.cell().repetition() >= 2 * PairedComparison.MIN_PAIRS);
	}

	private static Table table(String caption) {
		return new Table(caption, 5, List.of("Backend", "Mode", "load", "Variant", "verdict", "ratio", "from", "to",
				"p", "pairs", "pairs for 10 %"));
	}

	/**
	 * A check of the test: compares each series with itself, repetitions 1, 3, 5 … with
	 * 2, 4, 6 ….
	 */
	private static void againstItself(RunResult run, Html html) {
		Table table = table("Orders saved per second in even repetitions, as a multiple of the odd ones before them");
		int comparisons = 0;
		int same = 0;
		for (Series series : Coordinates.series(run)) {
			for (int load : Coordinates.loads(run)) {
				Pairs pairs = Pairs.ofNeighbours(byRepetition(run, series, load));
				if (pairs.size() >= PairedComparison.MIN_PAIRS) {
					PairedComparison comparison = pairs.compare();
					comparisons++;
					same += switch (comparison.verdict()) {
						case FASTER, SLOWER -> 0;
						case SAME, INCONCLUSIVE, TOO_FEW_PAIRS -> 1;
					};
					row(table, run, series, load, series.variant(), pairs, comparison);
				}
			}
		}
		if (comparisons > 0) {
			html.element("p",
					"Against itself, each variant and load that was repeated often enough, the odd repetitions the first of a pair and the even ones the second: %s of %s comparisons find no difference. Where more than one in twenty finds one, the machine was too unsteady for the verdicts above."
						.formatted(Figures.count(same), Figures.count(comparisons)));
			table.write(html);
		}
	}

	private static List<List<Series>> groups(RunResult run) {
		List<List<Series>> groups = new ArrayList<>();
		for (Series series : Coordinates.series(run)) {
			if (groups.isEmpty() || !comparable(groups.getLast().getFirst(), series)) {
				groups.add(new ArrayList<>());
			}
			groups.getLast().add(series);
		}
		return groups;
	}

	private static boolean comparable(Series one, Series other) {
		return one.capacity().equals(other.capacity()) && one.mode().equals(other.mode());
	}

	private static int row(Table table, RunResult run, Series one, Series other, int load) {
		Pairs pairs = Pairs.of(byRepetition(run, one, load), byRepetition(run, other, load));
		if (pairs.size() == 0) {
			return 0;
		}
		row(table, run, other, load, "%s to %s".formatted(other.variant(), one.variant()), pairs, pairs.compare());
		return 1;
	}

	private static void row(Table table, RunResult run, Series series, int load, String variant, Pairs pairs,
			PairedComparison comparison) {
		table.row(series.capacity(), series.mode(), Coordinates.kind(run).text(load),
				Reliability.sign(variant, pairs.marked()), verdict(comparison),
				Figures.measured(comparison.medianRatio()), end(comparison, comparison.low()),
				end(comparison, comparison.high()), Figures.measured(comparison.probability()),
				Figures.count(comparison.pairs()), Figures.count(comparison.pairsNeeded()));
	}

	/** Cells with a rate, in the order they were run. */
	private static SortedMap<Integer, CellResult> byRepetition(RunResult run, Series series, int load) {
		return Coordinates.at(run, series, load)
			.stream()
			.filter((cell) -> cell.savedPerSecond() > 0)
			.collect(Collectors.toMap((cell) -> cell.cell().repetition(), (cell) -> cell, (one, _) -> one,
					TreeMap::new));
	}

	private static String end(PairedComparison comparison, double end) {
		return (comparison.verdict() == PairedComparison.Verdict.TOO_FEW_PAIRS) ? Figures.NONE : Figures.measured(end);
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

	/** Cells measured next to each other; both lists have the same length. */
	private record Pairs(List<CellResult> first, List<CellResult> second) {

		static Pairs of(SortedMap<Integer, CellResult> one, SortedMap<Integer, CellResult> other) {
			List<Integer> both = one.keySet().stream().filter(other::containsKey).toList();
			return new Pairs(both.stream().map(one::get).toList(), both.stream().map(other::get).toList());
		}

		/** Pairs repetitions 1 and 2, 3 and 4, and so on. */
		static Pairs ofNeighbours(SortedMap<Integer, CellResult> byRepetition) {
			List<Integer> odd = byRepetition.keySet()
				.stream()
				.filter((repetition) -> repetition % 2 == 1 && byRepetition.containsKey(repetition + 1))
				.toList();
			return new Pairs(odd.stream().map(byRepetition::get).toList(),
					odd.stream().map((repetition) -> byRepetition.get(repetition + 1)).toList());
		}

		int size() {
			return this.first.size();
		}

		boolean marked() {
			return Stream.concat(this.first.stream(), this.second.stream()).anyMatch(Reliability::marked);
		}

		PairedComparison compare() {
			return PairedComparison.of(rates(this.first), rates(this.second));
		}

		private static double[] rates(List<CellResult> cells) {
			return cells.stream().mapToDouble(CellResult::savedPerSecond).toArray();
		}

	}

}
