package dev.sluice.lab.kit.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * Builds markup. Escapes all text, attributes and data, so that callers need not. Not
 * thread-safe.
 */
public sealed class Html permits Section {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String PAGE = "/dev/sluice/lab/report/page.html";

	private static final String STYLE = "/dev/sluice/lab/report/report.css";

	private static final String ECHARTS_VERSION = "/META-INF/maven/org.webjars/echarts/pom.properties";

	private static final String ECHARTS = "/META-INF/resources/webjars/echarts/%s/echarts.min.js";

	private final StringBuilder out = new StringBuilder();

	private final Deque<String> open = new ArrayDeque<>();

	/**
	 * A page.
	 * @param title of the window
	 * @param sources what it may load besides its own styles and scripts, as directives
	 * of a content security policy, each ending with a semicolon; may be empty
	 * @param style added to the style that all pages have; may be empty
	 * @param body its markup
	 * @param script runs after the charting library
	 */
	public static String page(String title, String sources, String style, String body, String script) {
		return resource(PAGE).formatted(new Html().text(sources), new Html().text(title), resource(STYLE) + style, body,
				echarts(), script);
	}

	/** A text from the class path, by its name from the root. */
	public static String resource(String name) {
		try (InputStream in = Html.class.getResourceAsStream(name)) {
			if (in == null) {
				throw new IllegalStateException(name + " is missing from the class path: build load-tests again");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String echarts() {
		return resource(ECHARTS.formatted(resource(ECHARTS_VERSION).replaceAll("(?s).*version=(\\S+).*", "$1")));
	}

	/** Begins an element; attributes are name, value, name, value ... */
	public Html open(String tag, String... attributes) {
		this.out.append('<').append(tag);
		for (int i = 0; i < attributes.length; i += 2) {
			this.out.append(' ').append(attributes[i]).append("=\"");
			text(attributes[i + 1]);
			this.out.append('"');
		}
		this.out.append('>');
		this.open.push(tag);
		return this;
	}

	/** Ends the innermost open element. */
	public Html close() {
		this.out.append("</").append(this.open.pop()).append(">\n");
		return this;
	}

	/** Adds an element that holds only text. */
	public Html element(String tag, String text, String... attributes) {
		return open(tag, attributes).text(text).close();
	}

	/** Adds a paragraph. */
	public Html paragraph(String text) {
		return element("p", text);
	}

	/** Adds a paragraph in small type: how figures were found, what words mean. */
	public Html note(String text) {
		return element("p", text, "class", "note");
	}

	public Html text(String text) {
		this.out.append(text.replace("&", "&amp;")
			.replace("<", "&lt;")
			.replace(">", "&gt;")
			.replace("\"", "&quot;")
			.replace("'", "&#39;"));
		return this;
	}

	/** Adds a list of texts, nothing if it has no items. */
	public Html list(List<String> items, String... attributes) {
		if (items.isEmpty()) {
			return this;
		}
		open("ul", attributes);
		items.forEach((item) -> element("li", item));
		return close();
	}

	/**
	 * Adds a chart that scrolls in its box, and its data as a collapsed table. Without
	 * JavaScript there is only the table.
	 */
	public Html chart(Chart chart, Table data) {
		return chart(chart).details("Data as a table", data);
	}

	/** Adds a chart by second, and its data. */
	public Html seconds(Chart.Seconds chart) {
		return chart(chart, chart.data());
	}

	/** Adds charts side by side where there is room, and their data. */
	public Html charts(List<? extends Chart> charts, Table data) {
		return charts(charts).details("Data as a table", data);
	}

	/** Adds charts side by side whose data the caller adds elsewhere. */
	public Html charts(List<? extends Chart> charts) {
		open("div", "class", "multiples");
		charts.forEach(this::chart);
		return close();
	}

	public Html table(Table table) {
		table.write(this);
		return this;
	}

	/** Adds a collapsed table, of which the summary is shown. */
	public Html details(String summary, Table table) {
		return open("details").element("summary", summary).table(table).close();
	}

	/** Adds a chart whose data the caller adds elsewhere. */
	public Html chart(Chart chart) {
		open("figure").element("figcaption", chart.title());
		open("div", "class", "scroll", "role", "group", "tabindex", "0", "aria-label", chart.title());
		open("div", "class", "chart");
		this.out.append("<script type=\"application/json\">");
		// In JSON, < occurs only in strings, where this escape means the same.
		this.out.append(JSON.writeValueAsString(chart).replace("<", "\\u003c"));
		this.out.append("</script>\n");
		return close().close().close();
	}

	@Override
	public String toString() {
		if (!this.open.isEmpty()) {
			throw new IllegalStateException("Still open: " + this.open);
		}
		return this.out.toString();
	}

}
