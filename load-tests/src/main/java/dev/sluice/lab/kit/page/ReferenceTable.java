package dev.sluice.lab.kit.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * A table of the reference measurements, kept as CSV next to the experiment that repeats
 * it.
 */
public final class ReferenceTable {

	private ReferenceTable() {
	}

	/**
	 * The table's rows without its head, split into their fields.
	 * @param anchor a class of the experiment's package
	 * @param name the file's
	 */
	public static List<String[]> rows(Class<?> anchor, String name) {
		try (InputStream table = Objects.requireNonNull(anchor.getResourceAsStream(name), name)) {
			return new String(table.readAllBytes(), StandardCharsets.UTF_8).lines()
				.skip(1)
				.filter((line) -> !line.isBlank())
				.map((line) -> line.split(",", -1))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
