package dev.sluice.lab.compare.page;

import java.util.List;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.ReferenceTable;

/**
 * The measurement that Sluice grew from: another machine, another language, one blocking
 * and one queueing endpoint. Its mode {@code async} is {@code queued} here.
 */
public final class Reference {

	private static final String TABLE = "reference-load-sweep.csv";

	/** The table gives orders a minute. */
	private static final double SECONDS = 60;

	private Reference() {
	}

	/** A row of its table. */
	record Row(String mode, int orders, double latencyMillis, double perSecond, double failures) {
	}

	public static List<Row> rows() {
		return ReferenceTable.rows(Reference.class, TABLE)
			.stream()
			.map((fields) -> new Row(fields[0].equals("async") ? Coordinates.QUEUED : fields[0],
					Integer.parseInt(fields[1]), Double.parseDouble(fields[2]), Double.parseDouble(fields[3]) / SECONDS,
					Double.parseDouble(fields[4])))
			.toList();
	}

	public static Curve curve(String mode) {
		return new Curve(new Series("reference", mode, "reference"),
				rows().stream()
					.filter((row) -> row.mode().equals(mode))
					.map((row) -> new Point(new Load(Load.Kind.BURST, row.orders()), row.perSecond(), row.perSecond(),
							row.perSecond(), 1, false, 0))
					.toList());
	}

}
