package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A table with a caption. The page and the terminal show the same one. Columns of words
 * come first; a word in the first column heads its row.
 *
 * @param caption what it holds, with the unit if all figures have one
 * @param heads the columns, whatever they take from a row
 * @param rows the text of the cells
 */
public record Table(String caption, List<? extends Column<?>> heads, List<List<String>> rows) {

	/** From this many columns on, there is less space between them on a page. */
	private static final int MANY_COLUMNS = 9;

	/** A heading is wrapped at this width if its figures are not wider. */
	private static final int HEADING_WIDTH = 9;

	/** A table of rows of one type. */
	public static <T> Table of(String caption, List<T> rows, List<Column<T>> columns) {
		return new Table(caption, columns,
				rows.stream()
					.map((row) -> columns.stream().map((column) -> column.cell().apply(row)).toList())
					.toList());
	}

	/** A table of names and values, in the order of the map. */
	public static Table of(String caption, String name, Map<String, String> values) {
		return of(caption, List.copyOf(values.entrySet()),
				List.of(Column.words(name, Map.Entry::getKey), Column.words("Value", Map.Entry::getValue)));
	}

	/** Writes it as markup that scrolls in its box if it is wider than the page. */
	void write(Html html) {
		html.open("div", "class", "scroll", "role", "group", "tabindex", "0", "aria-label", this.caption);
		html.open("table", "class", (this.heads.size() >= MANY_COLUMNS) ? "dense" : "wide");
		html.element("caption", this.caption);
		html.open("thead").open("tr");
		this.heads.forEach((head) -> html.element("th", head.heading(), "scope", "col", "class", kind(head)));
		html.close().close().open("tbody");
		for (List<String> row : this.rows) {
			html.open("tr");
			for (int i = 0; i < row.size(); i++) {
				String kind = kind(this.heads.get(i));
				if (i == 0 && this.heads.getFirst().words() && !row.getFirst().isEmpty()) {
					html.element("th", row.getFirst(), "scope", "row", "class", kind);
				}
				else {
					html.element("td", row.get(i), "class", kind);
				}
			}
			html.close();
		}
		html.close().close().close();
	}

	private static String kind(Column<?> column) {
		return column.words() ? "words" : "figure";
	}

	/** The table as lines of text: caption, headings, rows; ends with an empty line. */
	public String text() {
		int[] widths = new int[this.heads.size()];
		List<List<String>> headings = new ArrayList<>();
		for (int i = 0; i < widths.length; i++) {
			int column = i;
			int cells = this.rows.stream().mapToInt((row) -> row.get(column).length()).max().orElse(0);
			headings.add(wrapped(this.heads.get(i).heading(), Math.max(cells, HEADING_WIDTH)));
			widths[i] = Math.max(cells, headings.getLast().stream().mapToInt(String::length).max().orElse(0));
		}
		int height = headings.stream().mapToInt(List::size).max().orElse(0);
		StringBuilder text = new StringBuilder(this.caption).append(System.lineSeparator());
		// A heading of fewer lines stands just above its cells.
		headings.forEach((lines) -> lines.addAll(0, Collections.nCopies(height - lines.size(), "")));
		for (int i = 0; i < height; i++) {
			int line = i;
			line(text, widths, headings.stream().map((lines) -> lines.get(line)).toList());
		}
		this.rows.forEach((row) -> line(text, widths, row));
		return text.append(System.lineSeparator()).toString();
	}

	private static List<String> wrapped(String heading, int width) {
		List<String> lines = new ArrayList<>();
		for (String word : heading.split(" ")) {
			if (!lines.isEmpty() && lines.getLast().length() + 1 + word.length() <= width) {
				lines.add(lines.removeLast() + " " + word);
			}
			else {
				lines.add(word);
			}
		}
		return lines;
	}

	private void line(StringBuilder text, int[] widths, List<String> cells) {
		StringBuilder line = new StringBuilder();
		for (int i = 0; i < widths.length; i++) {
			String padding = " ".repeat(widths[i] - cells.get(i).length());
			line.append(this.heads.get(i).words() ? cells.get(i) + padding : padding + cells.get(i)).append("  ");
		}
		text.append(line.toString().stripTrailing()).append(System.lineSeparator());
	}

}
