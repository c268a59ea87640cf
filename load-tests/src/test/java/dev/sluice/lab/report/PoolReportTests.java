package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PoolReportTests {

	@Test
	void holdsBothWaysToConnectAgainstTheReferences() {
		String page = Report.page(Runs.pool());

		assertThat(page).contains(
				"New connections: 200 of 400 messages written, 100 given up, 0 refused by the full queue, 100 still queued or in flight; 300 connections opened.",
				"Kept connections: 400 of 400 messages written, 0 given up", "9,627", "66,519");
	}

	@Test
	void accountsForMessagesThatTheFullQueueRefused() {
		Status end = new Status(50, 400, 250, 20, 80, 50, 900, 100, 80, 300, List.of());

		assertThat(page(5, end)).contains("0 of 400 messages written, 50 given up, 250 refused by the full queue, 100",
				">refused</th>");
	}

	@Test
	void saysThatAnyNumberOfNewConnectionsIsAccepted() {
		Status end = ((PoolResult) Runs.pool().finding()).cases().getFirst().statuses().getLast();

		assertThat(page(0, end)).contains("accepts any number of new connections.").doesNotContain("further ones");
		assertThat(page(5, end)).contains("accepts 5 new connections per second; further ones");
	}

	private static String page(int newConnections, Status end) {
		return Report.page(Runs.found("pool", new PoolResult(8, 1_000, 100, newConnections,
				List.of(new PoolResult.Case("new", "one for each", List.of(end))))));
	}

	@Test
	void namesTheReferencesFigureForWhatItIs() {
		assertThat(Report.page(Runs.pool())).contains("true percentile", "mean of these");
	}

	@Test
	void saysThatNothingWasSent() {
		assertThat(Report.page(Runs.found("pool", new PoolResult(8, 1_000, 100, 5, List.of()))))
			.contains("Nothing was sent.");
	}

}
