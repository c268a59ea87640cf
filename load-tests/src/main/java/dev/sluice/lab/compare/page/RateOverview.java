package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
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
		return Coordinates.capacities(run)
			.stream()
			.map((capacity) -> "%s: %s.".formatted(Coordinates.backend(capacity),
					Stream.of(Coordinates.SYNC, Coordinates.QUEUED)
						.map((mode) -> answer(run, capacity, mode))
						.filter((answer) -> !answer.isEmpty())
						.collect(Collectors.joining("; "))))
			.toList();
	}

	private static String answer(RunResult run, String capacity, String mode) {
		int[] kept = Coordinates.series(run)
			.stream()
			.filter((series) -> series.capacity().equals(capacity) && series.mode().equals(mode))
			.mapToInt((series) -> keptUp(run, series).orElse(0))
			.sorted()
			.toArray();
		if (kept.length == 0) {
			return "";
		}
		String from = Figures.count(kept[0]);
		String to = Figures.count(kept[kept.length - 1]);
		return (kept[kept.length - 1] == 0) ? "%s keeps up with none of these rates".formatted(mode)
				: "%s keeps up with %s/s".formatted(mode, from.equals(to) ? from : from + " to " + to);
	}

	/**
	 * The highest rate such that it and all lower ones are kept up with; empty if none
	 * is.
	 */
	static OptionalInt keptUp(RunResult run, Series series) {
		OptionalInt greatest = OptionalInt.empty();
		for (int rate : Coordinates.loads(run)) {
			List<CellResult> cells = Coordinates.at(run, series, rate);
			if (cells.isEmpty() || cells.stream().anyMatch((cell) -> cell.savedPerSecond() < KEEPS_UP * rate)) {
				return greatest;
			}
			greatest = OptionalInt.of(rate);
		}
		return greatest;
	}

	static void write(RunResult run, Html html) {
		List<Chart> charts = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			List<Chart.Line> lines = Coordinates.series(run)
				.stream()
				.filter((series) -> series.capacity().equals(capacity))
				.map((series) -> new Chart.Line("%s, %s".formatted(series.mode(), series.variant()),
						Coordinates.style(series.variant()), points(run, series)))
				.filter((line) -> !line.points().isEmpty())
				.toList();
			if (!lines.isEmpty()) {
				charts.add(new Chart.Lines("Median wait until saved, backend " + capacity,
						"Milliseconds from when an order was due until it was saved, against the rate offered.", 320,
						Load.Kind.OFFERED.words(), "milliseconds", "fastest to slowest repetition",
						Chart.Line.top(lines), Coordinates.loads(run), lines));
			}
		}
		html.charts(charts);
		html.list(CellTables.bottlenecks(run));
		html.note(
				"A rate is kept up with if orders are saved at %s of it, from the first to the last, in every repetition, and all smaller rates are. Waits count from when an order was due."
					.formatted(Figures.percent(KEEPS_UP)));
	}

	private static List<Chart.Point> points(RunResult run, Series series) {
		List<Chart.Point> points = new ArrayList<>();
		for (int rate : Coordinates.loads(run)) {
			List<CellResult> cells = Coordinates.at(run, series, rate);
			double[] waits = cells.stream()
				.map(CellResult::toSaved)
				.filter(Objects::nonNull)
				.map(Wait::p50)
				.filter(Objects::nonNull)
				.mapToDouble(Double::doubleValue)
				.sorted()
				.toArray();
			if (waits.length > 0) {
				points.add(new Chart.Point(rate, Objects.requireNonNull(Figures.median(Arrays.stream(waits))), waits[0],
						waits[waits.length - 1], cells.stream().anyMatch(Reliability::marked),
						Curve.failedShare(cells)));
			}
		}
		return points;
	}

}
