package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.sluice.lab.compare.Coordinates.Series;
import dev.sluice.lab.compare.Curve.Point;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/** Orders saved per minute over the load, a chart for each capacity and mode. */
final class ThroughputSection extends Section {

	ThroughputSection() {
		super("throughput", "Throughput against load");
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Curve> curves = Curve.of(run);
		if (curves.isEmpty()) {
			html.element("p", "No cell was measured.");
			return;
		}
		html.element("p",
				"Orders saved per minute, higher is better. Both axes of a row are the same, so sync and queued can be compared by eye. Whiskers reach from the slowest to the fastest repetition; a hollow point is marked %s in the table."
					.formatted(Reliability.SIGN));
		html.charts(charts(curves, Coordinates.loads(run)), table(run, curves));
	}

	private static List<Chart> charts(List<Curve> curves, List<Integer> loads) {
		List<Chart> charts = new ArrayList<>();
		for (String capacity : curves.stream().map((c) -> c.series().capacity()).distinct().toList()) {
			List<Curve> row = curves.stream().filter((c) -> c.series().capacity().equals(capacity)).toList();
			double yMax = row.stream().flatMap((c) -> c.points().stream()).mapToDouble(Point::max).max().orElse(1);
			for (String mode : row.stream().map((c) -> c.series().mode()).distinct().toList()) {
				List<Chart.Line> lines = row.stream()
					.filter((c) -> c.series().mode().equals(mode))
					.map(ThroughputSection::line)
					.toList();
				charts.add(new Chart.Lines("Backend %s, %s".formatted(capacity, mode),
						"Orders saved per minute against the number of orders, backend %s, %s, a line for each of %s."
							.formatted(capacity, mode,
									String.join(", ", lines.stream().map(Chart.Line::name).toList())),
						300, 440, "Orders (N)", "saved per minute", yMax, loads, lines));
			}
		}
		return charts;
	}

	private static Chart.Line line(Curve curve) {
		return new Chart.Line(curve.series().variant(), Coordinates.style(curve.series().variant()),
				curve.points()
					.stream()
					.map((p) -> new Chart.Point(p.orders(), p.perMinute(), p.min(), p.max(), p.marked()))
					.toList());
	}

	private static Table table(RunResult run, List<Curve> curves) {
		List<Integer> loads = Coordinates.loads(run);
		List<String> heads = new ArrayList<>(List.of("Variant", "Mode", "Backend"));
		loads.forEach((load) -> heads.add("N = " + Figures.count(load)));
		Table table = new Table("Orders saved per minute: median (slowest–fastest repetition)", 3, heads);
		for (Curve curve : curves) {
			Series series = curve.series();
			List<String> row = new ArrayList<>(List.of(series.variant(), series.mode(), series.capacity()));
			for (int load : loads) {
				Optional<Point> point = curve.points().stream().filter((p) -> p.orders() == load).findFirst();
				row.add(point.map(ThroughputSection::figure)
					.orElse(leftOut(run, series, load) ? "left out" : Figures.NONE));
			}
			table.row(row);
		}
		return table;
	}

	private static String figure(Point point) {
		String spread = (point.repetitions() > 1)
				? " (%s–%s)".formatted(Figures.measured(point.min()), Figures.measured(point.max())) : "";
		return Reliability.sign(Figures.measured(point.perMinute()) + spread, point.marked());
	}

	private static boolean leftOut(RunResult run, Series series, int load) {
		return run.leftOut().stream().anyMatch((l) -> l.cell().orders() == load && Series.of(l.cell()).equals(series));
	}

}
