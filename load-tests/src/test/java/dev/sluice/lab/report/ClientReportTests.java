package dev.sluice.lab.report;

import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.result.ClientResult;
import dev.sluice.lab.result.RunFile;
import dev.sluice.lab.result.RunResult;
import dev.sluice.lab.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ClientReportTests {

	@Test
	void holdsEachRunAgainstTheSeeds() {
		String page = Report.page(List.of(Runs.client()));

		assertThat(page).contains("async, 100/s: kept up, as in the seed: reproduced",
				"sync-over-async, 100/s: did not keep up, as in the seed: reproduced", "15,800");
		assertThat(page).doesNotContain("No cell was measured", "closed model");
	}

	@Test
	void marksARunWhoseGeneratorLagged() {
		assertThat(Report.page(List.of(Runs.client()))).contains("sync-over-async, 100/s †")
			.doesNotContain(">async, 100/s †");
	}

	@Test
	void saysThatNothingWasSent() {
		assertThat(Report.page(List.of(Runs.found("client", new ClientResult(List.of())))))
			.contains("Nothing was sent.");
	}

	@Test
	void isTheSameFromTheFile(@TempDir Path directory) throws Exception {
		RunResult run = Runs.client();

		assertThat(RunFile.read(RunFile.write(run, directory))).isEqualTo(run);
	}

}
