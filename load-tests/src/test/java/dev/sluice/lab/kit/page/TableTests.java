package dev.sluice.lab.kit.page;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TableTests {

	@Test
	void headsNameTheColumnsAndTellWordsFromFigures() {
		assertThat(markup(new Table("rates", 2, List.of("variant", "mode", "rate")))).contains(
				"<th scope=\"col\" class=\"words\">variant</th>", "<th scope=\"col\" class=\"words\">mode</th>",
				"<th scope=\"col\" class=\"figure\">rate</th>");
	}

	@Test
	void theFirstWordsHeadTheirRow() {
		Table table = new Table("rates", 2, List.of("variant", "mode", "rate")).row("reactive", "sync", "10");

		assertThat(markup(table)).contains("<tr><th scope=\"row\" class=\"words\">reactive</th>\n"
				+ "<td class=\"words\">sync</td>\n<td class=\"figure\">10</td>\n</tr>");
	}

	@Test
	void anEmptyCellHeadsNoRow() {
		Table table = new Table("rates", 1, List.of("variant", "rate")).row("", "10");

		assertThat(markup(table)).contains("<tr><td class=\"words\"></td>\n<td class=\"figure\">10</td>\n</tr>");
	}

	@Test
	void aFigureHeadsNoRow() {
		Table table = new Table("rates", 0, List.of("rate")).row("10");

		assertThat(markup(table)).contains("<tr><td class=\"figure\">10</td>\n</tr>");
	}

	@Test
	void rowsStandInTheOrderInWhichTheyWereAdded() {
		Table table = new Table("rates", 1, List.of("variant", "rate")).row("b", "2")
			.row(List.of("c", "3"))
			.row("a", "1");

		assertThat(markup(table)).containsSubsequence("<thead>", "</thead>", "<tbody>", ">b<", ">c<", ">a<",
				"</tbody>");
	}

	@Test
	void refusesARowWithAnotherNumberOfCells() {
		Table table = new Table("rates", 1, List.of("variant", "rate"));

		assertThatIllegalArgumentException().isThrownBy(() -> table.row("reactive"))
			.withMessage("1 cells for the 2 columns of 'rates'");
		assertThatIllegalArgumentException().isThrownBy(() -> table.row("reactive", "10", "11"))
			.withMessage("3 cells for the 2 columns of 'rates'");
		assertThat(markup(table)).doesNotContain("reactive");
	}

	@Test
	void keepsARowAsItWas() {
		List<String> cells = new ArrayList<>(List.of("reactive", "10"));
		Table table = new Table("rates", 1, List.of("variant", "rate")).row(cells);

		cells.set(1, "99");

		assertThat(markup(table)).contains(">10<").doesNotContain(">99<");
	}

	@Test
	void whatItHoldsBecomesNoMarkup() {
		Table table = new Table("<a>", 1, List.of("<b>", "rate")).row("<c>", "< 0.001");

		assertThat(markup(table)).contains("<caption>&lt;a&gt;</caption>", "aria-label=\"&lt;a&gt;\"",
				">&lt;b&gt;</th>", ">&lt;c&gt;</th>", ">&lt; 0.001</td>");
	}

	@Test
	void manyColumnsStandCloser() {
		assertThat(markup(new Table("few", 1, Collections.nCopies(8, "a")))).contains("<table>");
		assertThat(markup(new Table("many", 1, Collections.nCopies(9, "a")))).contains("<table class=\"dense\">");
	}

	/** Fails if an element is left open. */
	private static String markup(Table table) {
		Html html = new Html();
		table.write(html);
		return html.toString();
	}

}
