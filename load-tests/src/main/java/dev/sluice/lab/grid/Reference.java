package dev.sluice.lab.grid;

import java.util.Optional;

import dev.sluice.lab.kit.page.ReferenceTable;

/** The measurement that {@code lab grid} repeats: three machines, another framework. */
final class Reference {

	private static final String TABLE = "reference-delay-grid.csv";

	private Reference() {
	}

	/**
	 * A row of its table.
	 *
	 * @param ratio throughput of asynchronous to synchronous requests
	 * @param responseMillis mean response time of asynchronous requests, in milliseconds
	 */
	record Row(long delayMillis, double ratio, double responseMillis) {
	}

	static Optional<Row> at(long delayMillis) {
		return ReferenceTable.rows(Reference.class, TABLE)
			.stream()
			.map((fields) -> new Row(Long.parseLong(fields[0]), Double.parseDouble(fields[1]),
					Double.parseDouble(fields[2])))
			.filter((row) -> row.delayMillis() == delayMillis)
			.findFirst();
	}

}
