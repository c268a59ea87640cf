package dev.sluice.lab.report;

import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScenarioReportTests {

	@Test
	void saysWhichCellsKeepTheLimits() {
		String page = Report.page(Runs.scenario()).replaceAll("\\s*\\n\\s*", "");

		assertThat(page).contains("Is it &lt;b&gt;fast&lt;/b&gt;?", "Limits: p99 at most 250 ms. Kept in 1 of 2 cells.",
				"p99 900 ms", "Backend mine, sync");
	}

	@Test
	void marksARunThatDoesNotHoldAgainstItself() {
		assertThat(Report.page(Runs.scenario())).contains("This run fails a check", "GC pauses agree: 7 and 8 pauses");
	}

}
