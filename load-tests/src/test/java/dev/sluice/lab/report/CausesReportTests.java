package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CausesReportTests {

	@Test
	void saysWhatTheFiguresSupport() {
		String page = Report.page(Runs.causes()).replaceAll("\\s*\\n\\s*", "");

		assertThat(page).contains("the reference&#39;s claim is refuted", "was lost by backend 3 threads, stopped for",
				"Alone, these cost most: backend 3 threads, 97 % of the rate.");
	}

	@Test
	void leavesOutWhatWasNotMeasured() {
		CausesResult nothing = new CausesResult("servlet-platform", 100, 1_000, List.of(), List.of());

		assertThat(Report.page(Runs.found("compare --causes", nothing))).contains("No cell was measured.");
	}

}
