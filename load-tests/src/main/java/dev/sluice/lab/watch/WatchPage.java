package dev.sluice.lab.watch;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Page;

/**
 * The page, in the report's style. It loads nothing but {@code /moments};
 * {@code watch.js} fills in the figures.
 */
final class WatchPage {

	private static final String RESOURCES = "/dev/sluice/lab/watch/";

	/** Head of the column for the moment under the mouse. */
	private static final String AT = "at the pointer";

	private WatchPage() {
	}

	static String html() {
		Html html = Page.begin("Sluice: lab watch", "connect-src 'self';", Page.resource(RESOURCES + "watch.css"));
		html.element("a", "Skip to the services", "href", "#services", "class", "skip");
		html.open("noscript")
			.element("p", "This page needs JavaScript. The figures are also at /moments, as JSON.", "class", "caution")
			.close();
		html.open("main");
		html.open("header").element("h1", "lab watch");
		html.element("p", "Waiting for the first second …", "class", "facts", "id", "state");
		// Screen readers announce changes: which services are down or back.
		html.element("p", "", "class", "caution", "id", "said", "role", "status", "hidden", "");
		bigFigures(html);
		controls(html);
		html.close();
		html.open("nav", "aria-label", "Charts").open("ul");
		for (Panel panel : Panel.values()) {
			html.open("li").element("a", panel.title(), "href", "#" + panel.id()).close();
		}
		html.close().close();
		services(html);
		html.open("div", "class", "panels");
		for (Panel panel : Panel.values()) {
			panel(html, panel);
		}
		html.close().close();
		html.code("script", Page.resource(RESOURCES + "watch.js"));
		return html.close().close().toString();
	}

	/** The large figures at the top, filled in by {@code watch.js}. */
	private static void bigFigures(Html html) {
		html.open("div", "class", "figures", "id", "figures");
		for (BigFigure figure : BigFigure.values()) {
			html.open("div").element("strong", Figures.NONE, "id", figure.id());
			html.element("span", figure.words()).close();
		}
		html.close();
	}

	private static void controls(Html html) {
		html.open("p", "class", "controls").open("label", "for", "span").text("Show ").close();
		html.open("select", "id", "span", "autocomplete", "off");
		html.element("option", "the last minute", "value", "60");
		html.element("option", "the last two minutes", "value", "120", "selected", "");
		html.element("option", "the last ten minutes", "value", "600");
		html.close();
		html.element("button", "Pause", "type", "button", "id", "pause", "aria-pressed", "false");
		html.close();
	}

	private static void services(Html html) {
		html.open("section", "id", "services", "aria-labelledby", "services-title");
		html.element("h2", "Services", "id", "services-title");
		table(html, "Whether each service answers", "services-rows", "Service", "address", "state");
		html.close();
	}

	private static void panel(Html html, Panel panel) {
		String title = panel.id() + "-title";
		html.open("section", "id", panel.id(), "aria-labelledby", title, "class", "panel");
		html.open("h2", "id", title).text(panel.title()).text(" ").element("small", panel.unit()).close();
		html.open("div", "class", "plot").close();
		table(html, "%s, %s".formatted(panel.title(), panel.unit()), panel.id() + "-rows", "", "now", "mean", "maximum",
				AT);
		html.element("p", panel.meaning(), "class", "note");
		html.close();
	}

	/** The first column has words; the table of services has only words. */
	private static void table(Html html, String caption, String rows, String... heads) {
		html.open("div", "class", "scroll", "role", "group", "tabindex", "0", "aria-label", caption);
		html.open("table").element("caption", caption).open("thead").open("tr");
		for (int i = 0; i < heads.length; i++) {
			String kind = (i == 0 || rows.startsWith("services")) ? "words"
					: heads[i].equals(AT) ? "figure at" : "figure";
			if (heads[i].isEmpty()) {
				html.element("td", "", "class", kind);
			}
			else {
				html.element("th", heads[i], "scope", "col", "class", kind);
			}
		}
		html.close().close().open("tbody", "id", rows).close().close().close();
	}

}
