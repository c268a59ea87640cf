package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.List;

/**
 * A table with a caption that scrolls in its box if it is wider than the page. Text
 * columns come first and head their rows; figures follow.
 */
public final class Table {

	/** From this many columns on, there is less space between them. */
	private static final int MANY_COLUMNS = 9;

	private final String caption;

	private final List<String> heads;

	private final int textColumns;

	private final List<List<String>> rows = new ArrayList<>();

	/**
	 * Begins a table.
	 * @param caption what it holds, with the unit if all figures have one
	 * @param textColumns number of columns from the left that are text
	 * @param heads the columns' names
	 */
	public Table(String caption, int textColumns, List<String> heads) {
		this.caption = caption;
		this.textColumns = textColumns;
		this.heads = List.copyOf(heads);
	}

	/**
	 * Adds a row.
	 * @param cells as many as there are columns
	 * @return this
	 */
	public Table row(List<String> cells) {
		if (cells.size() != this.heads.size()) {
			throw new IllegalArgumentException(
					"%d cells for the %d columns of '%s'".formatted(cells.size(), this.heads.size(), this.caption));
		}
		this.rows.add(List.copyOf(cells));
		return this;
	}

	/**
	 * Adds a row.
	 * @param cells as many as there are columns
	 * @return this
	 */
	public Table row(String... cells) {
		return row(List.of(cells));
	}

	/**
	 * Writes it.
	 * @param html where to
	 */
	public void write(Html html) {
		html.open("div", "class", "scroll", "role", "group", "tabindex", "0", "aria-label", this.caption);
		if (this.heads.size() >= MANY_COLUMNS) {
			html.open("table", "class", "dense");
		}
		else {
			html.open("table");
		}
		html.element("caption", this.caption);
		html.open("thead").open("tr");
		for (int i = 0; i < this.heads.size(); i++) {
			html.element("th", this.heads.get(i), "scope", "col", "class", kind(i));
		}
		html.close().close().open("tbody");
		for (List<String> row : this.rows) {
			html.open("tr");
			for (int i = 0; i < row.size(); i++) {
				if (i < this.textColumns && i == 0 && !row.get(i).isEmpty()) {
					html.element("th", row.get(i), "scope", "row", "class", kind(i));
				}
				else {
					html.element("td", row.get(i), "class", kind(i));
				}
			}
			html.close();
		}
		html.close().close().close();
	}

	private String kind(int column) {
		return (column < this.textColumns) ? "words" : "figure";
	}

}
