package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.Bottlenecks;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The wait against the rate that is offered, and the rate up to which each variant keeps
 * up.
 */
final class RateSection extends Section {

	/**
	 * A variant that saves orders at less than this share of the offered rate falls
	 * behind.
	 */
	static final double KEEPS_UP = 0.95;

	RateSection() {
		super("rates", "Which rate does each mode keep up with?");
	}

	@Override
	public List<String> answers(RunResult run) {
		return sentences(run);
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(sentences(run), "class", "answer");
		List<Chart> charts = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			List<Chart.Line> lines = Coordinates.series(run)
				.stream()
				.filter((series) -> series.capacity().equals(capacity))
				.map((series) -> line(run, series))
				.filter((line) -> !line.points().isEmpty())
				.toList();
			double top = lines.stream()
				.flatMap((line) -> line.points().stream())
				.mapToDouble(Chart.Point::y)
				.max()
				.orElse(1);
			if (!lines.isEmpty()) {
				charts.add(new Chart.Lines("Median wait until saved, backend " + capacity,
						"Milliseconds from when an order was due until it was saved, against the rate offered.", 320,
						500, Load.Kind.OFFERED.words(), "milliseconds", "fastest to slowest repetition", top,
						Coordinates.loads(run), lines));
			}
		}
		html.charts(charts, table(run));
		html.list(new Bottlenecks(run).sentences(run));
		html.element("p",
				"A rate is kept up with if orders are saved at %s of it, from the first to the last, in every repetition, and all smaller rates are. Waits count from when an order was due."
					.formatted(Figures.percent(KEEPS_UP)),
				"class", "note");
	}

	/**
	 * The highest rates with which the variants of each mode keep up, a sentence for each
	 * backend.
	 */
	static List<String> sentences(RunResult run) {
		return Coordinates.capacities(run)
			.stream()
			.map((capacity) -> "%s: %s.".formatted(ModeByLoad.name(capacity),
					List.of(Coordinates.SYNC, Coordinates.QUEUED)
						.stream()
						.map((mode) -> sentence(run, capacity, mode))
						.filter((sentence) -> !sentence.isEmpty())
						.collect(Collectors.joining("; "))))
			.toList();
	}

	private static String sentence(RunResult run, String capacity, String mode) {
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

	private static Chart.Line line(RunResult run, Series series) {
		List<Chart.Point> points = new ArrayList<>();
		for (int rate : Coordinates.loads(run)) {
			List<CellResult> cells = Coordinates.at(run, series, rate);
			double[] waits = cells.stream()
				.map(CellResult::toSaved)
				.map((wait) -> (wait != null) ? wait.p50() : null)
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
		return new Chart.Line("%s, %s".formatted(series.mode(), series.variant()), Coordinates.style(series.variant()),
				points);
	}

	private static Table table(RunResult run) {
		Table table = new Table("Offered and saved; waits in milliseconds from when an order was due", 3,
				List.of("Variant", "Mode", "Backend", "offered per second", "repetition", "saved per second",
						"until saved p50", "p99", "until accepted p50", "p99", "calls failed"));
		for (Series series : Coordinates.series(run)) {
			for (int rate : Coordinates.loads(run)) {
				for (CellResult cell : Coordinates.at(run, series, rate)) {
					table.row(series.variant(), series.mode(), series.capacity(),
							Reliability.sign(Figures.count(rate), Reliability.marked(cell)),
							Figures.count(cell.cell().repetition()), Figures.measured(cell.savedPerSecond()),
							p50(cell.toSaved()), p99(cell.toSaved()), p50(cell.toAccepted()), p99(cell.toAccepted()),
							Figures.count(cell.failedCalls()));
				}
			}
		}
		return table;
	}

	private static String p50(@Nullable Wait wait) {
		return Figures.measured((wait != null) ? wait.p50() : null);
	}

	private static String p99(@Nullable Wait wait) {
		return Figures.measured((wait != null) ? wait.p99() : null);
	}

}
