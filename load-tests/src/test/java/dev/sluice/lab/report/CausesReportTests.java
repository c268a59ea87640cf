package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CausesReportTests {

	@Test
	void saysWhatTheFiguresSupport() {
		String page = Report.page(Runs.causes()).replaceAll("\\s*\\n\\s*", "");

		assertThat(page).contains("the reference&#39;s claim is refuted", "was lost by backend 3 threads, stopped for");
	}

	@Test
	void leavesOutWhatWasNotMeasured() {
		assertThat(Report.page(Runs.run("compare --causes", null, List.of()))).contains("No cell was measured.");
	}

}
