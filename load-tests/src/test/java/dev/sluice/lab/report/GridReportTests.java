package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridReportTests {

	@Test
	void tellsHowManyTimesAsMuchIsAnswered() {
		String page = Report.page(Runs.grid()).replaceAll("\\s*\\n\\s*", "");

		assertThat(page).contains("500 ms: 7.14 times as much as 14 blocked threads, 1 times as much as 200.",
				"<td class=\"figure\">7.14</td>");
		assertThat(page).contains("A closed model").doesNotContain("No cell was measured");
	}

	@Test
	void drawsWhoQueues() {
		assertThat(Report.page(Runs.grid())).contains("[14.0,86.0]", "[100.0,0.0]");
	}

	@Test
	void reportsAGridWithoutCells() {
		assertThat(Report.page(Runs.run("grid", null, List.of()))).contains("No cell was measured.");
	}

}
