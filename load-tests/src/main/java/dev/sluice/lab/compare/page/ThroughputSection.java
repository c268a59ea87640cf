package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.Bottlenecks;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/** Orders saved per second over the load, a chart for each capacity and mode. */
final class ThroughputSection extends Section {

	/** A ceiling is drawn up to this multiple of the fastest rate. */
	private static final double HEADROOM = 1.1;

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
				"From the first call until the last order was saved, higher is better. Both axes of a row are the same. The dashed line is the ceiling: what the load or the consumer's limit lets through before this backend's time for an order.");
		html.charts(charts(run, curves), table(run, curves));
	}

	private static List<Chart> charts(RunResult run, List<Curve> curves) {
		List<Integer> loads = Coordinates.loads(run);
		Load.Kind kind = Coordinates.kind(run);
		List<Chart> charts = new ArrayList<>();
		for (String capacity : curves.stream().map((c) -> c.series().capacity()).distinct().toList()) {
			List<Curve> row = curves.stream().filter((c) -> c.series().capacity().equals(capacity)).toList();
			double yMax = row.stream().flatMap((c) -> c.points().stream()).mapToDouble(Point::max).max().orElse(1);
			for (String mode : row.stream().map((c) -> c.series().mode()).distinct().toList()) {
				List<Chart.Line> lines = row.stream()
					.filter((c) -> c.series().mode().equals(mode))
					.map(ThroughputSection::line)
					.collect(Collectors.toCollection(ArrayList::new));
				ceiling(run, capacity, mode, yMax).ifPresent(lines::add);
				charts.add(new Chart.Lines("Backend %s, %s".formatted(capacity, mode),
						"Orders saved per second against the load, backend %s, %s, a line for each of %s.".formatted(
								capacity, mode, String.join(", ", lines.stream().map(Chart.Line::name).toList())),
						320, 440, kind.words(), "saved per second", "slowest to fastest repetition", yMax, loads,
						lines));
			}
		}
		return charts;
	}

	/** The part of the ceiling within the chart. */
	private static Optional<Chart.Line> ceiling(RunResult run, String capacity, String mode, double yMax) {
		Bottlenecks bottlenecks = new Bottlenecks(run);
		List<Chart.Point> points = new ArrayList<>();
		for (int load : Coordinates.loads(run)) {
			bottlenecks.ceiling(capacity, mode, new Load(Coordinates.kind(run), load))
				.ifPresent((ceiling) -> points.add(Chart.Point.at(load, ceiling, false)));
		}
		List<Chart.Point> within = points.stream().filter((point) -> point.y() <= yMax * HEADROOM).toList();
		return within.isEmpty() ? Optional.empty() : Optional.of(new Chart.Line("ceiling", -1, within));
	}

	private static Chart.Line line(Curve curve) {
		return new Chart.Line(curve.series().variant(), Coordinates.style(curve.series().variant()),
				curve.points()
					.stream()
					.map((p) -> new Chart.Point(p.size(), p.perSecond(), p.min(), p.max(), p.marked(), p.failedShare()))
					.toList());
	}

	private static Table table(RunResult run, List<Curve> curves) {
		List<Integer> loads = Coordinates.loads(run);
		List<String> heads = new ArrayList<>(List.of("Variant", "Mode", "Backend"));
		loads.forEach((load) -> heads.add(Coordinates.kind(run).text(load)));
		Table table = new Table("Orders saved per second: median (slowest–fastest repetition)", 3, heads);
		for (Curve curve : curves) {
			Series series = curve.series();
			List<String> row = new ArrayList<>(List.of(series.variant(), series.mode(), series.capacity()));
			for (int load : loads) {
				Optional<Point> point = curve.points().stream().filter((p) -> p.size() == load).findFirst();
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
		return Reliability.sign(Figures.measured(point.perSecond()) + spread, point.marked());
	}

	private static boolean leftOut(RunResult run, Series series, int load) {
		return run.leftOut()
			.stream()
			.anyMatch((l) -> l.cell().load().size() == load && Series.of(l.cell()).equals(series));
	}

}
