package dev.sluice.lab.report;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientReportTests {

	@Test
	void holdsEachRunAgainstTheReferences() {
		String page = Report.page(Runs.client());

		assertThat(page).contains("async, 100/s: kept up, as in the reference: reproduced",
				"sync-over-async, 100/s: did not keep up, as in the reference: reproduced", "15,800");
		assertThat(page).doesNotContain("No cell was measured", "closed model");
	}

	@Test
	void aRunWhoseRequestsFailedAtOnceDidNotKeepUp() {
		String page = Report.page(failed());

		assertThat(page).contains("async, 100/s: did not keep up, as in the reference: NOT reproduced",
				"1,700 failed {no connection=1700}.");
	}

	/**
	 * A run whose target ended early: nothing is outstanding, and few requests were
	 * answered.
	 */
	private static RunResult failed() {
		ClientResult.Run run = ((ClientResult) Runs.client().finding()).runs().getFirst();
		return Runs.found("client",
				new ClientResult(List.of(new ClientResult.Run(run.name(), run.mode(), null, run.target(), 100, 18_000,
						new ClientResult.Tally(1_800, 1_800, 0, 100, 0, Map.of("no connection", 1_700L)), run.latency(),
						run.lag(), 0.2, 0.01, run.seconds(), run.reference()))));
	}

	@Test
	void marksARunWhoseGeneratorLagged() {
		assertThat(Report.page(Runs.client())).contains("sync-over-async, 100/s †").doesNotContain(">async, 100/s †");
	}

}
