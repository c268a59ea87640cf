package dev.sluice.docs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A table or a list of a document, generated from the code. It is between the comments
 * {@code <!-- begin NAME -->} and {@code <!-- end NAME -->}. A test fails if the document
 * differs; with the system property {@code sluice.docs=write} it writes the table
 * instead.
 */
public final class GeneratedTable {

	/** Not the document itself: reading a file releases the locks on it. */
	private static final Path LOCK = Path.of(System.getProperty("java.io.tmpdir"), "sluice-docs.lock");

	private final Path document;

	private final String name;

	private final int columns;

	private final List<String> lines = new ArrayList<>();

	/**
	 * An empty table, or a list.
	 * @param document the document
	 * @param name the name in the two comments
	 * @param columns the headings; none for a list
	 */
	public GeneratedTable(Path document, String name, String... columns) {
		this.document = document;
		this.name = name;
		this.columns = columns.length;
		if (columns.length > 0) {
			row(columns);
			row(Collections.nCopies(columns.length, "---").toArray(String[]::new));
		}
	}

	/** Right-aligns the columns from this one on, counted from 0. */
	public GeneratedTable figuresFrom(int column) {
		this.lines.set(1, "| --- ".repeat(column) + "| ---: ".repeat(this.columns - column) + "|");
		return this;
	}

	/** Adds a line as it is. */
	public GeneratedTable line(String line) {
		this.lines.add(line);
		return this;
	}

	/** Adds a row. A bar within a cell is escaped. */
	public GeneratedTable row(String... cells) {
		StringBuilder line = new StringBuilder("|");
		for (String cell : cells) {
			line.append(' ').append(cell.replace("|", "\\|")).append(cell.isEmpty() ? "|" : " |");
		}
		this.lines.add(line.toString());
		return this;
	}

	/**
	 * Compares the document with this table, or writes this table into it.
	 * @throws AssertionError if they differ; the message says how to write it
	 */
	public void check() throws IOException {
		check("write".equals(System.getProperty("sluice.docs")));
	}

	void check(boolean write) throws IOException {
		if (write) {
			// Modules are tested in parallel, and several of them may write a document.
			try (FileChannel lock = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
					var _ = lock.lock()) {
				Files.writeString(this.document, generated());
			}
		}
		else if (!generated().equals(Files.readString(this.document))) {
			throw new AssertionError(
					"The table '%s' of %s differs from the code: run this test with -Dsluice.docs=write, and look at git diff"
						.formatted(this.name, this.document));
		}
	}

	/** The document as it should be. */
	private String generated() throws IOException {
		String text = Files.readString(this.document);
		String begin = "<!-- begin %s -->\n".formatted(this.name);
		return text.substring(0, find(text, begin)) + begin + String.join("\n", this.lines) + "\n"
				+ text.substring(find(text, "<!-- end %s -->".formatted(this.name)));
	}

	private int find(String text, String comment) {
		int at = text.indexOf(comment);
		if (at < 0) {
			throw new AssertionError("%s has no line '%s'".formatted(this.document, comment.strip()));
		}
		return at;
	}

}
