package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.cell.PairedComparison.Verdict;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Whether a variant is faster than another, or the figures are inconclusive.
 *
 * @param second the second of each pair
 * @param what the variants, in words
 * @param marked whether a cell of a pair is unreliable
 */
record Difference(CellGroup second, String what, PairedComparison comparison, boolean marked) {

	/** Each variant with the first, at the load that is shown in detail. */
	static List<Difference> of(RunResult run) {
		List<Difference> differences = new ArrayList<>();
		List<CellGroup> groups = CellGroup.inDetail(CellGroup.of(run));
		for (CellGroup second : groups) {
			CellGroup first = groups.stream()
				.filter((group) -> group.capacity().equals(second.capacity()) && group.mode().equals(second.mode()))
				.findFirst()
				.orElse(second);
			PairedComparison comparison = CellGroup.compare(first.pairs(second), CellResult::savedPerSecond);
			if (!first.equals(second) && comparison != null) {
				differences.add(new Difference(second, "%s to %s".formatted(second.variant(), first.variant()),
						comparison, first.marked() || second.marked()));
			}
		}
		return differences;
	}

	static Section section(List<Difference> differences) {
		Section section = new Section("differences", "Which differences can be believed?");
		section.paragraph(
				"Repetitions of two variants are interleaved and compared in pairs, so that disturbances of both cancel out. A difference is reported if the exact signed-rank test finds it at 1 %%, of at least %s pairs; the interval, at 99 %%, has what the test does not exclude. “The same” is reported if two one-sided tests at 5 %% each exclude a difference of %s. Otherwise the table says what may hide in the interval."
					.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(PairedComparison.MARGIN)));
		section.table(Table.of("Orders saved per second, as a multiple of the first variant's", differences,
				List.of(Column.words("Backend", (each) -> each.second().capacity()),
						Column.words("Mode", (each) -> each.second().mode()),
						Column.words("load", (each) -> each.second().load().toString()),
						Column.words("Variant", Difference::what).marked(Difference::marked),
						Column.words("verdict", (each) -> verdict(each.comparison())),
						Column.measured("ratio", (each) -> each.comparison().medianRatio()),
						Column.figure("from", (each) -> end(each.comparison(), each.comparison().low())),
						Column.figure("to", (each) -> end(each.comparison(), each.comparison().high())),
						Column.measured("p", (each) -> each.comparison().probability()),
						Column.count("pairs", (each) -> each.comparison().pairs()))));
		return section;
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
			case TOO_FEW_PAIRS ->
				"too few pairs: at least %s are needed".formatted(Figures.count(PairedComparison.MIN_PAIRS));
		};
	}

}
