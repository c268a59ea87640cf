package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.ReferenceTable;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The measurement that Sluice grew from, next to a run of bursts: another machine,
 * another language, one blocking and one queueing endpoint. Its mode {@code async} is
 * {@code queued} here.
 */
final class Reference {

	private static final String TABLE = "reference-load-sweep.csv";

	/** The table gives orders a minute. */
	private static final double SECONDS = 60;

	private static final List<String> MODES = List.of(Coordinates.SYNC, Coordinates.QUEUED);

	/** Whether a run has the shape of the reference. */
	enum Verdict {

		REPRODUCED("Reproduced"), IN_PART("Reproduced in part"), NOT_REPRODUCED("Not reproduced"),

		/** A mode was not measured at two loads with the starved backend. */
		UNKNOWN("Not known whether its shape is reproduced");

		private final String words;

		Verdict(String words) {
			this.words = words;
		}

	}

	/** A row of its table. */
	record Row(String mode, int orders, double perSecond, double failures) {
	}

	private Reference() {
	}

	static List<Row> rows() {
		return ReferenceTable.rows(Reference.class, TABLE)
			.stream()
			.map((fields) -> new Row(fields[0].equals("async") ? Coordinates.QUEUED : fields[0],
					Integer.parseInt(fields[1]), Double.parseDouble(fields[3]) / SECONDS,
					Double.parseDouble(fields[4])))
			.toList();
	}

	static Curve curve(String mode) {
		return new Curve(new Series("reference", mode, "reference"),
				rows().stream()
					.filter((row) -> row.mode().equals(mode))
					.map((row) -> new Point(new Load(Load.Kind.BURST, row.orders()), row.perSecond(), row.perSecond(),
							row.perSecond(), 1, false, 0))
					.toList());
	}

	/** By our curves before the starved backend. */
	static Verdict verdict(List<Curve> ours) {
		List<Curve> sync = known(ours, Coordinates.SYNC);
		List<Curve> queued = known(ours, Coordinates.QUEUED);
		if (sync.isEmpty() || queued.isEmpty()) {
			return Verdict.UNKNOWN;
		}
		long collapsed = count(sync, Shape.COLLAPSED);
		long held = count(queued, Shape.HELD);
		if (collapsed == sync.size() && held == queued.size()) {
			return Verdict.REPRODUCED;
		}
		return (collapsed == 0 && held == 0) ? Verdict.NOT_REPRODUCED : Verdict.IN_PART;
	}

	private static List<Curve> known(List<Curve> curves, String mode) {
		return curves.stream().filter((c) -> c.series().mode().equals(mode) && c.shape() != Shape.UNKNOWN).toList();
	}

	private static long count(List<Curve> curves, Shape shape) {
		return curves.stream().filter((curve) -> curve.shape() == shape).count();
	}

	static void write(RunResult run, Html html) {
		List<Curve> ours = Curve.of(run)
			.stream()
			.filter((curve) -> curve.series().capacity().equals(Coordinates.STARVED))
			.toList();
		html.paragraph(
				"Its sync endpoint collapsed under load, its queueing endpoint kept a plateau, before a backend that blocked a thread for each call; the backend called “starved” does the same. Machine, language and year differ, so shapes are compared, not rates.");
		List<Curve> sync = known(ours, Coordinates.SYNC);
		List<Curve> queued = known(ours, Coordinates.QUEUED);
		html.element("p",
				"%s: sync collapsed in %s of %s series, queued held in %s of %s.".formatted(verdict(ours).words,
						count(sync, Shape.COLLAPSED), sync.size(), count(queued, Shape.HELD), queued.size()),
				"class", "answer");
		html.note(
				"Rule, applied to both: reproduced if every sync series ends below %s of its peak and no queued series drops more than %s below its best value at a smaller load. In the reference's own table sync drops %s and queued %s."
					.formatted(Figures.percent(Curve.COLLAPSED_BELOW), Figures.percent(Curve.HELD_WITHIN),
							Figures.percent(curve(Coordinates.SYNC).end().share()),
							Figures.percent(curve(Coordinates.QUEUED).largestDrop().share())));
		html.charts(MODES.stream().map((mode) -> chart(mode, ours)).toList(), rates(ours));
		html.table(ComparePage.shapes("The shape of the reference's series, by the rule above",
				MODES.stream().map(Reference::curve).toList()));
	}

	private static Chart chart(String mode, List<Curve> ours) {
		List<Chart.Line> lines = new ArrayList<>();
		lines.add(line(curve(mode), -1));
		ours.stream()
			.filter((curve) -> curve.series().mode().equals(mode))
			.forEach((curve) -> lines.add(line(curve, Coordinates.style(curve.series().variant()))));
		return new Chart.Lines("%s, backend starved: per cent of each line's own peak".formatted(mode),
				"Throughput as per cent of each line's own peak against the number of orders: the reference in grey, ours in colour.",
				300, 440, "Orders (N)", "% of peak", "", 100, loads(ours), lines);
	}

	private static Chart.Line line(Curve curve, int style) {
		double whole = Math.max(curve.peak().perSecond(), Double.MIN_NORMAL) / 100;
		return new Chart.Line(curve.series().variant(), style,
				curve.points()
					.stream()
					.map((point) -> Chart.Point.at(point.size(), point.perSecond() / whole, point.marked()))
					.toList());
	}

	private static Table rates(List<Curve> ours) {
		List<Column<Integer>> columns = new ArrayList<>(List.of(Column.count("N", (load) -> load),
				reference("reference sync", Coordinates.SYNC, Row::perSecond),
				reference("reference queued", Coordinates.QUEUED, Row::perSecond),
				reference("reference sync failures", Coordinates.SYNC, Row::failures),
				reference("reference queued failures", Coordinates.QUEUED, Row::failures)));
		for (Curve curve : ours) {
			columns.add(Column.figure(curve.series().variant() + " " + curve.series().mode(),
					(load) -> curve.at(load)
						.map((point) -> Reliability.sign(Figures.measured(point.perSecond()), point.marked()))
						.orElse(Figures.NONE)));
		}
		return Table.of("Orders per second: the reference's, then ours before the starved backend", loads(ours),
				columns);
	}

	private static Column<Integer> reference(String heading, String mode, Function<Row, Double> figure) {
		return Column.measured(heading, (load) -> {
			Optional<Row> there = rows().stream()
				.filter((row) -> row.mode().equals(mode) && row.orders() == load)
				.findFirst();
			return there.map(figure).orElse(null);
		});
	}

	private static List<Integer> loads(List<Curve> ours) {
		return Stream
			.concat(rows().stream().map(Row::orders),
					ours.stream().flatMap((curve) -> curve.points().stream()).map(Point::size))
			.distinct()
			.sorted()
			.toList();
	}

}
