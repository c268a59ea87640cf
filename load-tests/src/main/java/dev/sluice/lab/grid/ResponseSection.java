package dev.sluice.lab.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.Timing;

/** Response times, and the gateway's cost of an answer. */
final class ResponseSection extends Section {

	private final Grid grid;

	ResponseSection(Grid grid) {
		super("response", "Response time, CPU and memory");
		this.grid = grid;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p",
				"Closed model: a client waits for its answer before it sends again, so stalls are under-represented, and a faster gateway gets more requests. These figures compare the variants; they promise nothing to clients that send at their own rate.",
				"class", "caution");
		int load = this.grid.comparable();
		List<Cell> cells = this.grid.delays()
			.stream()
			.flatMap((delay) -> this.grid.variants()
				.stream()
				.flatMap((variant) -> this.grid.at(variant, delay, load).stream()))
			.filter((cell) -> cell.latency() != null)
			.toList();
		if (cells.isEmpty()) {
			html.element("p", "Nothing was answered.");
			return;
		}
		double least = timings(cells).stream()
			.mapToDouble((timing) -> Objects.requireNonNullElse(timing.p50(), timing.min()))
			.min()
			.orElse(1);
		double greatest = timings(cells).stream().mapToDouble(Timing::max).max().orElse(1_000);
		List<Chart> charts = new ArrayList<>();
		for (long delay : this.grid.delays()) {
			List<Chart.SpreadRow> rows = new ArrayList<>();
			for (Cell cell : cells) {
				Timing latency = cell.latency();
				if (cell.delayMillis() == delay && latency != null) {
					rows.add(new Chart.SpreadRow(cell.variant(), Grid.style(cell.variant()), Grid.marked(cell),
							latency.p50(), latency.p95(), latency.p99(), latency.max()));
				}
			}
			if (!rows.isEmpty()) {
				charts.add(new Chart.Spread("Backend takes %d ms, %s in flight".formatted(delay, Figures.count(load)),
						"Median, 95th and 99th percentile and maximum in milliseconds on a logarithmic axis, a row for each variant.",
						86 + 40 * rows.size(), 520, least, greatest, rows));
			}
		}
		html.open("div", "class", "stacked");
		html.charts(charts, table(cells));
		html.close();
	}

	private static List<Timing> timings(List<Cell> cells) {
		return cells.stream().map(Cell::latency).filter(Objects::nonNull).toList();
	}

	static Table table(List<Cell> cells) {
		Table table = new Table("Response time in milliseconds, and what the gateway spent", 2,
				List.of("Variant", "Backend's delay", "N", "answers per second", "min", "p50", "mean", "p95", "p99",
						"max", "executing", "queued", "503", "other failures", "CPU ms per answer", "CPU, cores",
						"memory", "threads"));
		for (Cell cell : cells) {
			Timing latency = cell.latency();
			List<String> row = new ArrayList<>(List.of(Reliability.sign(cell.variant(), Grid.marked(cell)),
					cell.delayMillis() + " ms", Figures.count(cell.concurrency()), Figures.measured(cell.perSecond())));
			if (latency != null) {
				row.addAll(List.of(Figures.measured(latency.min()), Figures.measured(latency.p50()),
						Figures.measured(latency.mean()), Figures.measured(latency.p95()),
						Figures.measured(latency.p99()), Figures.measured(latency.max())));
			}
			else {
				row.addAll(List.of(Figures.NONE, Figures.NONE, Figures.NONE, Figures.NONE, Figures.NONE, Figures.NONE));
			}
			long failed = cell.failures().values().stream().mapToLong(Long::longValue).sum();
			row.addAll(List.of(Figures.count(cell.executingMost()), Figures.count(cell.queued()),
					Figures.count(cell.refused()), Figures.count(failed - cell.refused()),
					Figures.measured(cell.service().cpuMillisPerRequest()), Figures.measured(cell.service().cpuShare()),
					Figures.bytes(cell.service().rssBytes()), Figures.count(cell.service().threads())));
			table.row(row);
		}
		return table;
	}

}
