package dev.sluice.lab.kit.measure;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Compressed CSV files, whose first line names the fields. */
public final class GzipCsv {

	private GzipCsv() {
	}

	/** Writes a file, a line for each row. */
	public static <T> void write(Path file, String head, Collection<T> rows, Function<T, String> line)
			throws IOException {
		try (BufferedWriter out = new BufferedWriter(
				new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8))) {
			out.write(head + "\n");
			for (T row : rows) {
				out.write(line.apply(row) + "\n");
			}
		}
	}

	/**
	 * Reads a file.
	 * @param row makes a row of the fields; only the last one may have commas
	 * @throws IOException if it cannot be read or has another head or form
	 */
	static <T> List<T> read(Path file, String head, Function<String[], T> row) throws IOException {
		List<T> rows = new ArrayList<>();
		int fields = head.split(",").length;
		try (BufferedReader in = new BufferedReader(
				new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
			if (!head.equals(in.readLine())) {
				throw new IOException("%s does not begin with '%s'".formatted(file, head));
			}
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				rows.add(row.apply(line.split(",", fields)));
			}
		}
		catch (RuntimeException ex) {
			throw new IOException("%s is damaged: %s".formatted(file, ex), ex);
		}
		return rows;
	}

}
