package dev.sluice.lab.grid;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The measurement that {@code lab grid} repeats: three machines, another framework. */
final class Reference {

	private static final String TABLE = "reference-delay-grid.csv";

	private Reference() {
	}

	/**
	 * A row of its table.
	 *
	 * @param ratio throughput of asynchronous to synchronous requests
	 * @param responseMillis mean of the asynchronous ones
	 */
	record Row(long delayMillis, double ratio, double responseMillis) {
	}

	static Optional<Row> at(long delayMillis) {
		return rows().stream().filter((row) -> row.delayMillis() == delayMillis).findFirst();
	}

	private static List<Row> rows() {
		try (InputStream table = Reference.class.getResourceAsStream(TABLE)) {
			if (table == null) {
				throw new IllegalStateException(TABLE + " is missing from the jar");
			}
			return new String(table.readAllBytes(), StandardCharsets.UTF_8).lines()
				.skip(1)
				.filter((line) -> !line.isBlank())
				.map((line) -> line.split(",", -1))
				.map((fields) -> new Row(Long.parseLong(fields[0]), Double.parseDouble(fields[1]),
						Double.parseDouble(fields[2])))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
