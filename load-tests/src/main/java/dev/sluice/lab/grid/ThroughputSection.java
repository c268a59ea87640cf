package dev.sluice.lab.grid;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunResult;

/** Answers per second over the requests in flight, a chart for each delay. */
final class ThroughputSection extends Section {

	private final Grid grid;

	ThroughputSection(Grid grid) {
		super("throughput", "Throughput");
		this.grid = grid;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p", "Requests answered per second, higher is better; each chart has its own scale.");
		List<Chart> charts = new ArrayList<>();
		for (long delay : this.grid.delays()) {
			List<Chart.Line> lines = this.grid.variants()
				.stream()
				.map((variant) -> new Chart.Line(variant, Grid.style(variant), points(variant, delay)))
				.filter((line) -> !line.points().isEmpty())
				.toList();
			double top = lines.stream()
				.flatMap((line) -> line.points().stream())
				.mapToDouble(Chart.Point::y)
				.max()
				.orElse(1);
			charts.add(new Chart.Lines("Backend takes %d ms".formatted(delay),
					"Answers per second against the requests in flight, a line for each variant.", 300, 440,
					"requests in flight (N)", "answers per second", "", Math.max(top, 1), this.grid.concurrencies(),
					lines));
		}
		html.charts(charts, table());
	}

	private List<Chart.Point> points(String variant, long delay) {
		return this.grid.concurrencies()
			.stream()
			.flatMap((load) -> this.grid.at(variant, delay, load).stream())
			.map((cell) -> Chart.Point.at(cell.concurrency(), cell.perSecond(), Grid.marked(cell)))
			.toList();
	}

	private Table table() {
		List<String> heads = new ArrayList<>(List.of("Variant", "Backend's delay"));
		this.grid.concurrencies().forEach((load) -> heads.add("N = " + Figures.count(load)));
		Table table = new Table("Answers per second", 2, heads);
		for (String variant : this.grid.variants()) {
			for (long delay : this.grid.delays()) {
				List<String> row = new ArrayList<>(List.of(variant, delay + " ms"));
				this.grid.concurrencies()
					.forEach((load) -> row
						.add(this.grid.at(variant, delay, load).map(ThroughputSection::figure).orElse(Figures.NONE)));
				table.row(row);
			}
		}
		return table;
	}

	private static String figure(Cell cell) {
		return Reliability.sign(Figures.measured(cell.perSecond()), Grid.marked(cell));
	}

}
