package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChaosReportTests {

	@Test
	void beginsWithTheBalance() {
		String page = Report.page(Runs.chaos(0));

		assertThat(page).contains(
				"Yes: 11,900 orders were accepted during 4 faults, 11,899 saved, 1 failed and reported as failed; 0 lost, 0 doubled.");
		assertThat(page.indexOf("id=\"balance\"")).isLessThan(page.indexOf("id=\"timeline\""));
		assertThat(page).doesNotContain("No cell was measured");
	}

	@Test
	void namesTheOrdersThatBreakTheBalance() {
		String page = Report.page(Runs.chaos(2));

		assertThat(page).contains("No: of 11,900 orders accepted during 4 faults, 2 were lost", "019a,lost,&lt;17&gt;");
	}

	@Test
	void drawsEachFaultOnTheAxisOfTheOrders() {
		String page = Report.page(Runs.chaos(0));

		assertThat(page).contains("{\"lane\":\"broker\",\"name\":\"kill\",\"style\":0,\"from\":30.5,\"to\":37.2}");
	}

	@Test
	void rendersARunThatEndedBeforeItsAudit() {
		ChaosResult half = new ChaosResult(null, List.of(), List.of(), List.of(), 0);

		assertThat(Report.page(Runs.found("chaos", half))).contains("could be audited", "No order was placed");
	}

}
