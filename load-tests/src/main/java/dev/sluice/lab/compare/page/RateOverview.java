package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.CellGroup;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The wait against the rate that is offered, and the rate up to which each variant keeps
 * up.
 */
final class RateOverview {

	/**
	 * A variant that saves orders at less than this share of the offered rate falls
	 * behind.
	 */
	private static final double KEEPS_UP = 0.95;

	private RateOverview() {
	}

	/**
	 * The highest rates with which the variants of each mode keep up, a sentence for each
	 * backend.
	 */
	static List<String> answers(RunResult run) {
		return CellGroup.by(CellGroup::capacity, CellGroup.of(run))
			.entrySet()
			.stream()
			.map((backend) -> "%s: %s.".formatted(Coordinates.backend(backend.getKey()),
					CellGroup.by(CellGroup::mode, backend.getValue())
						.entrySet()
						.stream()
						.map((mode) -> answer(mode.getKey(), mode.getValue()))
						.collect(Collectors.joining("; "))))
			.toList();
	}

	private static String answer(String mode, List<CellGroup> groups) {
		IntSummaryStatistics kept = CellGroup.by(CellGroup::series, groups)
			.values()
			.stream()
			.mapToInt(RateOverview::keptUp)
			.summaryStatistics();
		String from = Figures.count(kept.getMin());
		String to = Figures.count(kept.getMax());
		return (kept.getMax() == 0) ? "%s keeps up with none of these rates".formatted(mode)
				: "%s keeps up with %s/s".formatted(mode, from.equals(to) ? from : from + " to " + to);
	}

	/**
	 * The highest rate such that a series keeps up with it and all lower ones; 0 if it
	 * does with none.
	 */
	private static int keptUp(List<CellGroup> series) {
		return series.stream()
			.takeWhile((group) -> group.cells()
				.stream()
				.allMatch((cell) -> cell.savedPerSecond() >= KEEPS_UP * group.size()))
			.mapToInt(CellGroup::size)
			.max()
			.orElse(0);
	}

	static void write(RunResult run, Html html) {
		List<CellGroup> groups = CellGroup.of(run);
		List<Chart> charts = new ArrayList<>();
		CellGroup.by(CellGroup::capacity, groups).forEach((capacity, own) -> {
			List<Chart.Line> lines = ComparePage.lines(own,
					(series) -> "%s, %s".formatted(series.mode(), series.variant()), CellResult::savedP50);
			if (!lines.isEmpty()) {
				charts.add(new Chart.Lines("Median wait until saved, backend " + capacity,
						"Milliseconds from when an order was due until it was saved, against the rate offered.", 320,
						Load.Kind.OFFERED.words(), "milliseconds", "fastest to slowest repetition",
						Chart.Line.top(lines), CellGroup.sizes(groups), lines));
			}
		});
		html.charts(charts);
		html.list(CellTables.bottlenecks(run));
		html.note(
				"A rate is kept up with if orders are saved at %s of it, from the first to the last, in every repetition, and all smaller rates are. Waits count from when an order was due."
					.formatted(Figures.percent(KEEPS_UP)));
	}

}
