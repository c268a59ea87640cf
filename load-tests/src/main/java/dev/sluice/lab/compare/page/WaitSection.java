package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.cell.CellResult.Latency;
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

/** The clients' waits, with percentiles as dots. */
final class WaitSection extends Section {

	WaitSection() {
		super("wait", "What a client waits for");
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p",
				"From an order's first try until the backend has saved it: failed calls, pauses and retries are in it, for both modes the same end. Lower is better. “Answered” is until the order is accepted. A percentile with fewer than ten orders above it, or whose order was never saved, is left out (%s); percentiles are medians of the repetitions."
					.formatted(Figures.NONE));
		if (Coordinates.kind(run) != Load.Kind.OFFERED) {
			html.element("p",
					"A closed model: a client waits before it places its next order, so stalls are under-represented. lab compare --rates has none of that.",
					"class", "caution");
		}
		List<Row> rows = rows(run);
		if (rows.isEmpty()) {
			html.element("p", "No wait was measured.");
			return;
		}
		List<Chart> charts = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			OptionalInt load = Coordinates.closeLoad(run, capacity);
			List<Row> own = rows.stream()
				.filter((row) -> row.series().capacity().equals(capacity) && row.load().size() == load.orElse(0))
				.toList();
			charts(capacity, own).forEach(charts::add);
		}
		html.open("div", "class", "stacked");
		html.charts(charts, table(rows));
		html.close();
	}

	private static List<Chart> charts(String capacity, List<Row> rows) {
		if (rows.isEmpty()) {
			return List.of();
		}
		Load load = rows.getFirst().load();
		return List.of(chart("Until saved: backend %s, %s".formatted(capacity, load), rows, Row::toSaved),
				chart("Until answered: backend %s, %s".formatted(capacity, load), rows, Row::toAccepted));
	}

	private static Chart chart(String title, List<Row> rows, Function<Row, Percentiles> wait) {
		double[] all = rows.stream().map(wait).flatMap(Percentiles::known).mapToDouble(Double::doubleValue).toArray();
		return new Chart.Spread(title,
				"Median, 95th and 99th percentile in milliseconds on a logarithmic axis, a row for each variant and mode, with the share of its calls that failed.",
				86 + 40 * rows.size(), 520, DoubleStream.of(all).min().orElse(1),
				DoubleStream.of(all).max().orElse(1_000),
				rows.stream().map((row) -> row.dots(wait.apply(row))).toList());
	}

	private static List<Row> rows(RunResult run) {
		List<Row> rows = new ArrayList<>();
		for (int load : Coordinates.loads(run)) {
			for (Series series : Coordinates.series(run)) {
				Row.of(series, Coordinates.at(run, series, load)).ifPresent(rows::add);
			}
		}
		return rows;
	}

	private static Table table(List<Row> rows) {
		Table table = new Table("Waits in milliseconds", 3,
				List.of("Variant", "Mode", "Backend", "load", "saved p50", "saved p95", "saved p99", "answered p50",
						"answered p95", "answered p99", "a call's own p50", "its p99", "calls failed",
						"orders never saved"));
		for (Row row : rows) {
			table.row(row.series().variant(), row.series().mode(), row.series().capacity(),
					Reliability.sign(row.load().toString(), row.marked()), Figures.measured(row.toSaved().p50()),
					Figures.measured(row.toSaved().p95()), Figures.measured(row.toSaved().p99()),
					Figures.measured(row.toAccepted().p50()), Figures.measured(row.toAccepted().p95()),
					Figures.measured(row.toAccepted().p99()), Figures.measured(row.callP50()),
					Figures.measured(row.callP99()), Figures.percent(row.failedShare()),
					Figures.count(row.unfinished()));
		}
		return table;
	}

	/** Medians of the repetitions; null if unknown for one of them. */
	private record Percentiles(@Nullable Double p50, @Nullable Double p95, @Nullable Double p99) {

		static Percentiles of(List<CellResult> cells, Function<CellResult, @Nullable Wait> wait) {
			List<Wait> waits = cells.stream().map(wait).filter(Objects::nonNull).toList();
			return new Percentiles(median(waits, Wait::p50), median(waits, Wait::p95), median(waits, Wait::p99));
		}

		/** Null if one repetition lacks the percentile: it may be the worst. */
		private static @Nullable Double median(List<Wait> waits, Function<Wait, @Nullable Double> percentile) {
			return waits.stream().anyMatch((wait) -> percentile.apply(wait) == null) ? null : Figures
				.median(waits.stream().map(percentile).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
		}

		Stream<Double> known() {
			return Stream.of(this.p50, this.p95, this.p99).filter(Objects::nonNull);
		}

	}

	private record Row(Series series, Load load, Percentiles toAccepted, Percentiles toSaved, @Nullable Double callP50,
			@Nullable Double callP99, double failedShare, long unfinished, boolean marked) {

		static Optional<Row> of(Series series, List<CellResult> cells) {
			if (cells.stream().allMatch((cell) -> cell.toSaved() == null && cell.latency() == null)) {
				return Optional.empty();
			}
			return Optional.of(new Row(series, cells.getFirst().cell().load(),
					Percentiles.of(cells, CellResult::toAccepted), Percentiles.of(cells, CellResult::toSaved),
					call(cells, Latency::p50), call(cells, Latency::p99), Curve.failedShare(cells),
					cells.stream().map(CellResult::toSaved).filter(Objects::nonNull).mapToLong(Wait::unfinished).sum(),
					cells.stream().anyMatch(Reliability::marked)));
		}

		private static @Nullable Double call(List<CellResult> cells, Function<Latency, @Nullable Double> percentile) {
			List<Latency> calls = cells.stream().map(CellResult::latency).filter(Objects::nonNull).toList();
			return calls.stream().anyMatch((call) -> percentile.apply(call) == null) ? null : Figures
				.median(calls.stream().map(percentile).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
		}

		Chart.SpreadRow dots(Percentiles wait) {
			String failed = (this.failedShare > 0) ? ", %s failed".formatted(Figures.percent(this.failedShare)) : "";
			return new Chart.SpreadRow("%s, %s%s".formatted(this.series.mode(), this.series.variant(), failed),
					Coordinates.style(this.series.variant()), this.marked, wait.p50(), wait.p95(), wait.p99(), null);
		}

	}

}
