package dev.sluice.lab.compare.page;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The waits of the clients of a series at one load.
 *
 * @param cells the repetitions, at least one
 */
record Waits(Series series, List<CellResult> cells) {

	static void write(RunResult run, Html html) {
		html.paragraph(
				"From an order's first try until the backend has saved it: failed calls, pauses and retries are in it, for both modes the same end. Lower is better. “Answered” is until the order is accepted. A percentile with fewer than ten orders above it, or whose order was never saved, is left out (%s); percentiles are medians of the repetitions."
					.formatted(Figures.NONE));
		if (Coordinates.kind(run) != Load.Kind.OFFERED) {
			html.element("p",
					"A closed model: a client waits before it places its next order, so stalls are under-represented. lab compare --rates has none of that.",
					"class", "caution");
		}
		List<Waits> waits = of(run);
		if (waits.isEmpty()) {
			html.paragraph("No wait was measured.");
			return;
		}
		List<Chart> charts = Coordinates.capacities(run)
			.stream()
			.flatMap((capacity) -> charts(run, capacity, waits))
			.toList();
		html.open("div", "class", "stacked").charts(charts, table(run)).close();
	}

	private static List<Waits> of(RunResult run) {
		return Coordinates.loads(run)
			.stream()
			.flatMap((load) -> Coordinates.series(run)
				.stream()
				.map((series) -> new Waits(series, Coordinates.at(run, series, load))))
			.filter((
					each) -> each.cells().stream().anyMatch((cell) -> cell.toSaved() != null || cell.latency() != null))
			.toList();
	}

	private static Stream<Chart> charts(RunResult run, String capacity, List<Waits> all) {
		OptionalInt load = Coordinates.closeLoad(run, capacity);
		List<Waits> waits = all.stream()
			.filter((each) -> each.series().capacity().equals(capacity)
					&& each.cells().getFirst().cell().load().size() == load.orElse(0))
			.toList();
		if (waits.isEmpty()) {
			return Stream.of();
		}
		String where = "backend %s, %s".formatted(capacity, waits.getFirst().load());
		String description = "Median, 95th and 99th percentile in milliseconds on a logarithmic axis, a row for each variant and mode, with the share of its calls that failed.";
		return Stream.of(
				Chart.Spread.of("Until saved: " + where, description,
						waits.stream().map((each) -> each.dots(each::saved)).toList()),
				Chart.Spread.of("Until answered: " + where, description,
						waits.stream().map((each) -> each.dots(each::accepted)).toList()));
	}

	private static Table table(RunResult run) {
		return Table.of("Waits in milliseconds", of(run),
				List.of(Column.words("Variant", (each) -> each.series().variant()),
						Column.words("Mode", (each) -> each.series().mode()),
						Column.words("Backend", (each) -> each.series().capacity()),
						Column.words("load", Waits::load).marked(Waits::marked),
						Column.measured("saved p50", (each) -> each.saved(Wait::p50)),
						Column.measured("saved p95", (each) -> each.saved(Wait::p95)),
						Column.measured("saved p99", (each) -> each.saved(Wait::p99)),
						Column.measured("answered p50", (each) -> each.accepted(Wait::p50)),
						Column.measured("answered p95", (each) -> each.accepted(Wait::p95)),
						Column.measured("answered p99", (each) -> each.accepted(Wait::p99)),
						Column.measured("a call's own p50", (each) -> each.call(Latency::p50)),
						Column.measured("its p99", (each) -> each.call(Latency::p99)),
						Column.percent("calls failed", (each) -> Curve.failedShare(each.cells())),
						Column.count("orders never saved", Waits::unfinished)));
	}

	private String load() {
		return this.cells.getFirst().cell().load().toString();
	}

	private boolean marked() {
		return this.cells.stream().anyMatch(Reliability::marked);
	}

	/**
	 * The median of the repetitions; null if one of them lacks the figure: it may be the
	 * worst.
	 */
	private @Nullable Double median(Function<CellResult, @Nullable Double> figure) {
		return this.cells.stream().anyMatch((cell) -> figure.apply(cell) == null) ? null
				: Figures.median(this.cells, figure);
	}

	private @Nullable Double saved(Function<Wait, @Nullable Double> percentile) {
		return median((cell) -> (cell.toSaved() != null) ? percentile.apply(cell.toSaved()) : null);
	}

	private @Nullable Double accepted(Function<Wait, @Nullable Double> percentile) {
		return median((cell) -> (cell.toAccepted() != null) ? percentile.apply(cell.toAccepted()) : null);
	}

	private @Nullable Double call(Function<Latency, @Nullable Double> percentile) {
		return median((cell) -> (cell.latency() != null) ? percentile.apply(cell.latency()) : null);
	}

	private long unfinished() {
		return this.cells.stream().map(CellResult::toSaved).filter(Objects::nonNull).mapToLong(Wait::unfinished).sum();
	}

	private Chart.SpreadRow dots(Function<Function<Wait, @Nullable Double>, @Nullable Double> wait) {
		double failed = Curve.failedShare(this.cells);
		return new Chart.SpreadRow(
				"%s, %s%s".formatted(this.series.mode(), this.series.variant(),
						(failed > 0) ? ", %s failed".formatted(Figures.percent(failed)) : ""),
				Coordinates.style(this.series.variant()), marked(), wait.apply(Wait::p50), wait.apply(Wait::p95),
				wait.apply(Wait::p99), null);
	}

}
