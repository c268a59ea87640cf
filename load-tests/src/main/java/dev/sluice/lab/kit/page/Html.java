package dev.sluice.lab.kit.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

import tools.jackson.databind.json.JsonMapper;

/**
 * Builds markup. Escapes all text, attributes and data, so that callers need not. Not
 * thread-safe.
 */
public final class Html {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String STYLE = "/dev/sluice/lab/report/report.css";

	private static final String ECHARTS_VERSION = "/META-INF/maven/org.webjars/echarts/pom.properties";

	private static final String ECHARTS = "/META-INF/resources/webjars/echarts/%s/echarts.min.js";

	private final StringBuilder out = new StringBuilder();

	private final Deque<String> open = new ArrayDeque<>();

	/**
	 * Begins a page; {@code body} and {@code html} are left open.
	 * @param title of the window
	 * @param sources what it may load besides its own styles and scripts, as directives
	 * of a content security policy, each ending with a semicolon; may be empty
	 * @param style added to the style that all pages have; may be empty
	 * @return where to write its content
	 */
	public static Html page(String title, String sources, String style) {
		Html html = new Html();
		html.empty("!DOCTYPE html").open("html", "lang", "en").open("head");
		html.empty("meta", "charset", "utf-8");
		html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
		html.empty("meta", "http-equiv", "Content-Security-Policy", "content",
				"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; " + sources);
		html.empty("meta", "name", "color-scheme", "content", "light dark");
		html.element("title", title);
		return html.code("style", resource(STYLE) + style).close().open("body");
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

	/** The script of the charting library. */
	public static String echarts() {
		try {
			Properties pom = new Properties();
			pom.load(new StringReader(resource(ECHARTS_VERSION)));
			return resource(ECHARTS.formatted(pom.getProperty("version")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Begins an element; attributes are name, value, name, value ... */
	public Html open(String tag, String... attributes) {
		start(tag, attributes);
		this.open.push(tag);
		return this;
	}

	/** Ends the innermost open element. */
	public Html close() {
		this.out.append("</").append(this.open.pop()).append(">\n");
		return this;
	}

	/** Adds an element that has no content. */
	public Html empty(String tag, String... attributes) {
		start(tag, attributes);
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
		escape(text);
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
	 * Adds a style sheet, script or markup of our own, which is not escaped.
	 * @param tag {@code style}, {@code script} or {@code main}
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
		open("div", "class", "chart", "style", "--height:%spx".formatted(chart.height()));
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
