package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PoolReportTests {

	@Test
	void tellsWhatBecomesOfTheMessages() {
		String page = Report.page(Runs.pool());

		assertThat(page).contains(
				"New connections: 200 of 400 messages written, 100 given up, 100 still in flight; 300 connections opened.",
				"Kept connections: 400 of 400 messages written, 0 given up");
	}

	@Test
	void namesTheReferencesFigureForWhatItIs() {
		assertThat(Report.page(Runs.pool())).contains("true percentile", "mean of these");
	}

	@Test
	void saysThatNothingWasSent() {
		assertThat(Report.page(Runs.found("pool", new PoolResult(8, 100, 5, List.of())))).contains("Nothing was sent.");
	}

}
