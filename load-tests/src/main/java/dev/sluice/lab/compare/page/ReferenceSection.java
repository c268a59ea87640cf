package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The reference's table next to this run's, and whether this run reproduces its shape.
 */
public final class ReferenceSection extends Section {

	ReferenceSection() {
		super("reference", "Beside the measurement Sluice grew from");
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Curve> ours = Curve.of(run)
			.stream()
			.filter((c) -> c.series().capacity().equals(Coordinates.STARVED))
			.toList();
		html.element("p",
				"Its sync endpoint collapsed under load, its queueing endpoint kept a plateau, before a backend that blocked a thread for each call; the backend called “starved” does the same. Machine, language and year differ, so shapes are compared, not rates.");
		html.element("p", verdict(ours), "class", "answer");
		html.element("p",
				"Rule, applied to both: reproduced if every sync series ends below %s of its peak and no queued series drops more than %s below its best value at a smaller load. In the reference's own table sync drops %s and queued %s."
					.formatted(Figures.percent(Curve.COLLAPSED_BELOW), Figures.percent(Curve.HELD_WITHIN),
							Figures.percent(Reference.curve(Coordinates.SYNC).end().share()),
							Figures.percent(Reference.curve(Coordinates.QUEUED).largestDrop().share())),
				"class", "note");
		html.charts(Stream.of(Coordinates.SYNC, Coordinates.QUEUED).map((mode) -> chart(mode, ours)).toList(),
				rates(ours));
		shapes(ours).write(html);
	}

	/**
	 * Whether the run reproduces the shape.
	 * @param ours our curves before the starved backend
	 * @return the verdict in words
	 */
	public static String verdict(List<Curve> ours) {
		List<Curve> sync = known(ours, Coordinates.SYNC);
		List<Curve> queued = known(ours, Coordinates.QUEUED);
		if (sync.isEmpty() || queued.isEmpty()) {
			return "Not known whether its shape is reproduced: with the starved backend %s was not measured at two loads."
				.formatted(sync.isEmpty() ? "the sync mode" : "the queued mode");
		}
		long collapsed = sync.stream().filter((c) -> c.shape() == Shape.COLLAPSED).count();
		long held = queued.stream().filter((c) -> c.shape() == Shape.HELD).count();
		boolean whole = collapsed == sync.size() && held == queued.size();
		boolean none = collapsed == 0 && held == 0;
		return "%s: sync collapsed in %d of %d series up to N = %s, queued held in %d of %d up to N = %s.".formatted(
				whole ? "Reproduced" : none ? "Not reproduced" : "Reproduced in part", collapsed, sync.size(),
				Figures.count(greatestLoad(sync)), held, queued.size(), Figures.count(greatestLoad(queued)));
	}

	private static List<Curve> known(List<Curve> curves, String mode) {
		return curves.stream().filter((c) -> c.series().mode().equals(mode) && c.shape() != Shape.UNKNOWN).toList();
	}

	private static Chart chart(String mode, List<Curve> ours) {
		List<Chart.Line> lines = new ArrayList<>();
		lines.add(line(Reference.curve(mode), -1));
		ours.stream()
			.filter((c) -> c.series().mode().equals(mode))
			.forEach((c) -> lines.add(line(c, Coordinates.style(c.series().variant()))));
		return new Chart.Lines("%s, backend starved: per cent of each line's own peak".formatted(mode),
				"Throughput as per cent of each line's own peak against the number of orders: the reference in grey, ours in colour.",
				300, 440, "Orders (N)", "% of peak", "", 100, loads(ours), lines);
	}

	private static Chart.Line line(Curve curve, int style) {
		double whole = Math.max(curve.peak().perSecond(), Double.MIN_NORMAL) / 100;
		return new Chart.Line(curve.series().variant(), style,
				curve.points()
					.stream()
					.map((p) -> Chart.Point.at(p.size(), p.perSecond() / whole, p.marked()))
					.toList());
	}

	private static Table rates(List<Curve> ours) {
		List<String> heads = new ArrayList<>(List.of("N", "reference sync", "reference queued",
				"reference sync failures", "reference queued failures"));
		ours.forEach((c) -> heads.add(c.series().variant() + " " + c.series().mode()));
		Table table = new Table("Orders per second: the reference's, then ours before the starved backend", 0, heads);
		for (int load : loads(ours)) {
			List<String> row = new ArrayList<>(List.of(Figures.count(load)));
			for (String mode : List.of(Coordinates.SYNC, Coordinates.QUEUED)) {
				row.add(reference(mode, load).map((r) -> Figures.measured(r.perSecond())).orElse(Figures.NONE));
			}
			for (String mode : List.of(Coordinates.SYNC, Coordinates.QUEUED)) {
				row.add(reference(mode, load).map((r) -> Figures.count(r.failures())).orElse(Figures.NONE));
			}
			for (Curve curve : ours) {
				row.add(curve.points()
					.stream()
					.filter((p) -> p.size() == load)
					.findFirst()
					.map((p) -> Reliability.sign(Figures.measured(p.perSecond()), p.marked()))
					.orElse(Figures.NONE));
			}
			table.row(row);
		}
		return table;
	}

	private static List<Integer> loads(List<Curve> ours) {
		return Stream
			.concat(Reference.rows().stream().map(Reference.Row::orders),
					ours.stream().flatMap((c) -> c.points().stream()).map(Point::size))
			.distinct()
			.sorted()
			.toList();
	}

	private static int greatestLoad(List<Curve> curves) {
		return curves.stream().mapToInt((c) -> c.last().size()).max().orElse(0);
	}

	private static Optional<Reference.Row> reference(String mode, int load) {
		return Reference.rows().stream().filter((r) -> r.mode().equals(mode) && r.orders() == load).findFirst();
	}

	private static Table shapes(List<Curve> ours) {
		Table table = new Table("The shape of each series, by the rule above", 3, List.of("Series", "Mode", "Shape",
				"peak per second", "at N", "last per second", "at N", "peak to last", "largest drop"));
		Stream.concat(Stream.of(Reference.curve(Coordinates.SYNC), Reference.curve(Coordinates.QUEUED)), ours.stream())
			.forEach((c) -> table.row(c.series().variant(), c.series().mode(), c.shape().word(),
					Reliability.sign(Figures.measured(c.peak().perSecond()), c.peak().marked()),
					Figures.count(c.peak().size()),
					Reliability.sign(Figures.measured(c.last().perSecond()), c.last().marked()),
					Figures.count(c.last().size()), Figures.percent(-c.end().share()),
					Figures.percent(-c.largestDrop().share())));
		return table;
	}

}
