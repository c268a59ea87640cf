package dev.sluice.lab.report.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.measure.PairedComparison;
import dev.sluice.lab.report.compare.Coordinates.Series;
import dev.sluice.lab.report.page.Figures;
import dev.sluice.lab.report.page.Html;
import dev.sluice.lab.report.page.Marks;
import dev.sluice.lab.report.page.Section;
import dev.sluice.lab.report.page.Table;
import dev.sluice.lab.result.CellResult;
import dev.sluice.lab.result.RunResult;

/** Which variant is faster than another, and where nothing can be said. */
final class DifferencesSection implements Section {

	@Override
	public String id() {
		return "differences";
	}

	@Override
	public String title() {
		return "Which differences can be believed?";
	}

	@Override
	public void write(RunResult run, Html html) {
		Table table = new Table("Orders saved per minute, as a multiple of the first variant's", 5,
				List.of("Backend", "Way", "N", "Variant", "verdict", "median ratio", "from", "to", "pairs"));
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
			html.element("p", "Nothing was measured in pairs.");
			return;
		}
		html.element("p",
				"Repetitions of two variants are interleaved and taken in pairs, so that what the machine did to both cancels out. A difference is said if the bootstrap's interval of the median ratio, at 99 %%, leaves 1 out, and never of fewer than %s pairs."
					.formatted(Figures.count(PairedComparison.LEAST_PAIRS)));
		table.write(html);
	}

	private static List<List<Series>> groups(RunResult run) {
		List<List<Series>> groups = new ArrayList<>();
		for (Series series : Coordinates.series(run)) {
			if (groups.isEmpty() || !alike(groups.getLast().getFirst(), series)) {
				groups.add(new ArrayList<>());
			}
			groups.getLast().add(series);
		}
		return groups;
	}

	private static boolean alike(Series one, Series other) {
		return one.capacity().equals(other.capacity()) && one.way().equals(other.way());
	}

	private static int row(Table table, RunResult run, Series one, Series other, int load) {
		SortedMap<Integer, CellResult> first = byRepetition(run, one, load);
		SortedMap<Integer, CellResult> second = byRepetition(run, other, load);
		List<Integer> pairs = first.keySet().stream().filter(second::containsKey).sorted().toList();
		if (pairs.isEmpty()) {
			return 0;
		}
		first.keySet().retainAll(pairs);
		second.keySet().retainAll(pairs);
		PairedComparison comparison = PairedComparison.of(rates(first), rates(second));
		boolean marked = Stream.concat(first.values().stream(), second.values().stream()).anyMatch(Marks::marked);
		table.row(other.capacity(), other.way(), Figures.count(load),
				Marks.sign("%s to %s".formatted(other.variant(), one.variant()), marked), verdict(comparison),
				Figures.measured(comparison.medianRatio()), Figures.measured(comparison.low()),
				Figures.measured(comparison.high()), Figures.count(comparison.pairs()));
		return 1;
	}

	/** Cells with a rate, in the order they were run. */
	private static SortedMap<Integer, CellResult> byRepetition(RunResult run, Series series, int load) {
		return Coordinates.at(run, series, load)
			.stream()
			.filter((cell) -> cell.ordersPerMinute() > 0)
			.collect(Collectors.toMap((cell) -> cell.cell().repetition(), (cell) -> cell, (one, _) -> one,
					TreeMap::new));
	}

	private static double[] rates(SortedMap<Integer, CellResult> cells) {
		return cells.values().stream().mapToDouble(CellResult::ordersPerMinute).toArray();
	}

	private static String verdict(PairedComparison comparison) {
		return switch (comparison.verdict()) {
			case FASTER -> "faster";
			case SLOWER -> "slower";
			case NO_DIFFERENCE -> "no difference";
			case TOO_FEW_PAIRS ->
				"too few pairs: for 5 %% about %s are needed".formatted(Figures.count(comparison.pairsNeeded()));
		};
	}

}
