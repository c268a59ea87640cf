package dev.sluice.lab.kit.page;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class HtmlTests {

	private static final List<Column<Rate>> COLUMNS = List.of(Column.words("variant", Rate::variant),
			Column.words("mode", Rate::mode), Column.measured("orders saved per second", Rate::perSecond));

	private final Html html = new Html();

	@Test
	void textBecomesNoMarkup() {
		this.html.text("<script>alert('a' && \"b\")</script>");

		assertThat(this.html).hasToString("&lt;script&gt;alert(&#39;a&#39; &amp;&amp; &quot;b&quot;)&lt;/script&gt;");
	}

	@Test
	void anAttributeDoesNotEndItsQuotes() {
		this.html.element("p", "a", "title", "\" onclick='x' <&>", "id", "b");

		assertThat(this.html).hasToString("<p title=\"&quot; onclick=&#39;x&#39; &lt;&amp;&gt;\" id=\"b\">a</p>\n");
	}

	@Test
	void isNoPageWhileAnElementIsOpen() {
		this.html.open("div").open("p").close();

		assertThatIllegalStateException().isThrownBy(this.html::toString).withMessageContaining("div");
	}

	@Test
	void itemsOfAListAreEscaped() {
		this.html.list(List.of("a", "<b>"), "class", "answers");

		assertThat(this.html).hasToString("<ul class=\"answers\"><li>a</li>\n<li>&lt;b&gt;</li>\n</ul>\n");
	}

	@Test
	void dataOfAChartDoesNotEndItsScript() {
		this.html.chart(chart("</script><script>alert('a')</script>"));

		assertThat(this.html.toString()).containsOnlyOnce("<script")
			.containsOnlyOnce("</script>")
			.contains("\"title\":\"\\u003c/script>\\u003cscript>alert('a')\\u003c/script>\"")
			.contains("<figcaption>&lt;/script&gt;");
	}

	private static Chart chart(String title) {
		return new Chart.Stack(title, "ms", null, List.of(), List.of());
	}

	private record Rate(String variant, String mode, @Nullable Double perSecond) {
	}

	@Test
	void theFirstWordsHeadTheirRow() {
		assertThat(markup(table(new Rate("reactive", "sync", 10.0))))
			.contains("<tr><th scope=\"row\" class=\"words\">reactive</th>\n"
					+ "<td class=\"words\">sync</td>\n<td class=\"figure\">10</td>\n</tr>");
	}

	@Test
	void marksUnreliableRows() {
		Column<Rate> marked = COLUMNS.getFirst().marked((rate) -> rate.variant().equals("b"));
		Table table = Table.of("rates", List.of(new Rate("a", "sync", 1.0), new Rate("b", "sync", 1.0)),
				List.of(marked));

		assertThat(table.rows()).containsExactly(List.of("a"), List.of("b †"));
	}

	@Test
	void whatItHoldsBecomesNoMarkup() {
		Table table = Table.of("<a>", List.of("<c>"), List.of(Column.words("<b>", (row) -> row)));

		assertThat(markup(table)).contains("<caption>&lt;a&gt;</caption>", "aria-label=\"&lt;a&gt;\"",
				">&lt;b&gt;</th>", ">&lt;c&gt;</th>");
	}

	@Test
	void theTerminalShowsTheSameCellsInAlignedColumns() {
		assertThat(table(new Rate("servlet-platform", "sync", 600.0), new Rate("reactive", "queued", 12_345.0)).text())
			.isEqualToNormalizingNewlines("""
					rates
					                             orders
					                          saved per
					variant           mode       second
					servlet-platform  sync          600
					reactive          queued     12,300

					""");
	}

	private static Table table(Rate... rows) {
		return Table.of("rates", List.of(rows), COLUMNS);
	}

	/** Fails if an element is left open. */
	private static String markup(Table table) {
		return new Html().table(table).toString();
	}

}
