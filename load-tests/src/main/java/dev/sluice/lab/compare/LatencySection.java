package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

import dev.sluice.lab.compare.Coordinates.Series;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.CellResult.Latency;
import dev.sluice.lab.kit.result.RunResult;

/** How long a call took, percentiles as dots. */
final class LatencySection extends Section {

	LatencySection() {
		super("latency", "How long a call takes");
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p",
				"Time of an answered call by the client's clock: sync until the order is saved, queued until the queue has it. Lower is better. Each percentile is the median of the repetitions.");
		html.element("p",
				"Closed model: the calls in flight are bounded and a client waits for its answer before it calls again, so stalls are under-represented here. These figures compare the variants under this load; they promise nothing to clients that send at their own rate.",
				"class", "caution");
		List<Row> rows = rows(run);
		if (rows.isEmpty()) {
			html.element("p", "No call was answered.");
			return;
		}
		double least = rows.stream().mapToDouble((r) -> r.latency().p50()).min().orElse(1);
		double greatest = rows.stream().mapToDouble((r) -> r.latency().max()).max().orElse(1000);
		List<Chart> charts = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			OptionalInt load = Coordinates.closeLoad(run, capacity);
			List<Chart.SpreadRow> dots = rows.stream()
				.filter((r) -> r.series().capacity().equals(capacity) && r.orders() == load.orElse(0))
				.map(Row::dots)
				.toList();
			if (!dots.isEmpty()) {
				charts.add(new Chart.Spread("Backend %s, N = %s".formatted(capacity, Figures.count(load.orElse(0))),
						"Median, 95th and 99th percentile and maximum of a call in milliseconds on a logarithmic axis, a row for each variant and mode.",
						54 + 40 * dots.size(), 520, least, greatest, dots));
			}
		}
		html.open("div", "class", "stacked");
		html.charts(charts, table(rows));
		html.close();
	}

	private static List<Row> rows(RunResult run) {
		List<Row> rows = new ArrayList<>();
		for (int load : Coordinates.loads(run)) {
			for (Series series : Coordinates.series(run)) {
				Row.of(series, load, Coordinates.at(run, series, load)).ifPresent(rows::add);
			}
		}
		return rows;
	}

	private static Table table(List<Row> rows) {
		Table table = new Table("Latency of an answered call in milliseconds", 3,
				List.of("Variant", "Mode", "Backend", "N", "mean", "p50", "p95", "p99", "max", "failed calls"));
		for (Row row : rows) {
			Latency latency = row.latency();
			table.row(row.series().variant(), row.series().mode(), row.series().capacity(),
					Reliability.sign(Figures.count(row.orders()), row.marked()), Figures.measured(latency.mean()),
					Figures.measured(latency.p50()), Figures.measured(latency.p95()), Figures.measured(latency.p99()),
					Figures.measured(latency.max()), Figures.count(row.failedCalls()));
		}
		return table;
	}

	private record Row(Series series, int orders, Latency latency, long failedCalls, boolean marked) {

		static Optional<Row> of(Series series, int orders, List<CellResult> cells) {
			List<Latency> latencies = cells.stream().map(CellResult::latency).filter(Objects::nonNull).toList();
			if (latencies.isEmpty()) {
				return Optional.empty();
			}
			return Optional.of(new Row(series, orders,
					new Latency(median(latencies, Latency::mean), median(latencies, Latency::p50),
							median(latencies, Latency::p95), median(latencies, Latency::p99),
							median(latencies, Latency::max)),
					cells.stream().mapToLong(CellResult::failedCalls).sum(),
					cells.stream().anyMatch(Reliability::marked)));
		}

		Chart.SpreadRow dots() {
			return new Chart.SpreadRow("%s, %s".formatted(this.series.mode(), this.series.variant()),
					Coordinates.style(this.series.variant()), this.marked, this.latency.p50(), this.latency.p95(),
					this.latency.p99(), this.latency.max());
		}

		private static double median(List<Latency> latencies, ToDoubleFunction<Latency> percentile) {
			Double median = Figures.median(latencies.stream().mapToDouble(percentile));
			return (median != null) ? median : 0;
		}

	}

}
