package dev.sluice.lab.kit.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** The beginning of every page: head, style, content security policy. */
public final class Page {

	private static final String STYLE = "/dev/sluice/lab/report/report.css";

	private static final String ECHARTS_VERSION = "/META-INF/maven/org.webjars/echarts/pom.properties";

	private static final String ECHARTS = "/META-INF/resources/webjars/echarts/%s/echarts.min.js";

	private Page() {
	}

	/**
	 * Begins a page; {@code body} and {@code html} are left open.
	 * @param title of the window
	 * @param sources what it may load besides its own styles and scripts, as directives
	 * of a content security policy, each ending with a semicolon; may be empty
	 * @param style added to the style that all pages have; may be empty
	 * @return where to write its content
	 */
	public static Html begin(String title, String sources, String style) {
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

	/**
	 * Reads a text from the class path.
	 * @param name from its root
	 * @return its content
	 */
	public static String resource(String name) {
		try (InputStream in = Page.class.getResourceAsStream(name)) {
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

}
