package dev.sluice.lab.kit.page;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

import tools.jackson.databind.json.JsonMapper;

/**
 * Builds markup. Escapes all text, attributes and data, so that callers need not. Not
 * thread-safe.
 */
public final class Html {

	private static final JsonMapper JSON = new JsonMapper();

	private final StringBuilder out = new StringBuilder();

	private final Deque<String> open = new ArrayDeque<>();

	/**
	 * Begins an element.
	 * @param tag its name
	 * @param attributes name, value, name, value ...
	 * @return this
	 */
	public Html open(String tag, String... attributes) {
		start(tag, attributes);
		this.open.push(tag);
		return this;
	}

	/**
	 * Ends the innermost open element.
	 * @return this
	 */
	public Html close() {
		this.out.append("</").append(this.open.pop()).append(">\n");
		return this;
	}

	/**
	 * Adds an element that has no content.
	 * @param tag its name
	 * @param attributes name, value, name, value ...
	 * @return this
	 */
	public Html empty(String tag, String... attributes) {
		start(tag, attributes);
		return this;
	}

	/**
	 * Adds an element that holds only text.
	 * @param tag its name
	 * @param text its content, escaped here
	 * @param attributes name, value, name, value ...
	 * @return this
	 */
	public Html element(String tag, String text, String... attributes) {
		return open(tag, attributes).text(text).close();
	}

	/**
	 * Adds text.
	 * @param text escaped here
	 * @return this
	 */
	public Html text(String text) {
		escape(text);
		return this;
	}

	/**
	 * Adds a list, nothing if it has no items.
	 * @param items plain text
	 * @param attributes of the list
	 * @return this
	 */
	public Html list(List<String> items, String... attributes) {
		if (items.isEmpty()) {
			return this;
		}
		open("ul", attributes);
		items.forEach((item) -> element("li", item));
		return close();
	}

	/**
	 * Adds a style sheet or script of our own.
	 * @param tag {@code style} or {@code script}
	 * @param code not escaped
	 * @return this
	 */
	public Html code(String tag, String code) {
		if (code.toLowerCase(Locale.ROOT).contains("</" + tag)) {
			throw new IllegalArgumentException("The code would end its own <" + tag + ">");
		}
		this.out.append('<').append(tag).append('>').append(code).append("</").append(tag).append(">\n");
		return this;
	}

	/**
	 * Adds a chart that scrolls in its box, and its data as a collapsed table. Without
	 * JavaScript there is only the table.
	 * @param chart what to draw
	 * @param data the same figures
	 * @return this
	 */
	public Html chart(Chart chart, Table data) {
		return chart(chart).details("Data as a table", data);
	}

	/**
	 * Adds charts side by side where there is room, and their data.
	 * @param charts what to draw
	 * @param data the same figures
	 * @return this
	 */
	public Html charts(List<? extends Chart> charts, Table data) {
		open("div", "class", "multiples");
		charts.forEach(this::chart);
		close();
		return details("Data as a table", data);
	}

	/**
	 * Adds a collapsed table.
	 * @param summary text shown while it is collapsed
	 * @param table the table
	 * @return this
	 */
	public Html details(String summary, Table table) {
		open("details").element("summary", summary);
		table.write(this);
		return close();
	}

	/**
	 * Adds a chart whose data the caller adds elsewhere.
	 * @param chart what to draw
	 * @return this
	 */
	public Html chart(Chart chart) {
		open("figure").element("figcaption", chart.title());
		open("div", "class", "scroll", "role", "group", "tabindex", "0", "aria-label", chart.title());
		open("div", "class", "chart", "style", "--height:%dpx;--width:%dpx".formatted(chart.height(), chart.width()));
		this.out.append("<script type=\"application/json\">");
		// In JSON, < occurs only in strings, where this escape means the same.
		this.out.append(JSON.writeValueAsString(chart).replace("<", "\\u003c"));
		this.out.append("</script>\n");
		return close().close().close();
	}

	private void start(String tag, String... attributes) {
		this.out.append('<').append(tag);
		for (int i = 0; i < attributes.length; i += 2) {
			this.out.append(' ').append(attributes[i]).append("=\"");
			escape(attributes[i + 1]);
			this.out.append('"');
		}
		this.out.append('>');
	}

	private void escape(String text) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			switch (c) {
				case '&' -> this.out.append("&amp;");
				case '<' -> this.out.append("&lt;");
				case '>' -> this.out.append("&gt;");
				case '"' -> this.out.append("&quot;");
				case '\'' -> this.out.append("&#39;");
				default -> this.out.append(c);
			}
		}
	}

	@Override
	public String toString() {
		if (!this.open.isEmpty()) {
			throw new IllegalStateException("Still open: " + this.open);
		}
		return this.out.toString();
	}

}
