package dev.sluice.lab.compare;

import java.nio.file.Path;

import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.compare.page.GridPage;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest grid, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class GridIT {

	@TempDir
	private Path directory;

	@Test
	void onlyWhoBlocksAFewThreadsLetsRequestsQueue() throws Exception {
		LabRun lab = new LabRun();

		RunResult run = lab.run(this.directory, "grid --smallest");

		assertThat(run.cells()).hasSize(2).allSatisfy((result) -> {
			assertThat(result.saved()).isPositive().isEqualTo(result.accepted());
			assertThat(result.failures()).isEmpty();
			assertThat(result.backendMaxInFlight()).isPositive().isLessThanOrEqualTo(most(result.cell()));
		});
		assertThat(lab.out()).contains(GridPage.SMALL_POOL, "reactive");
	}

	private static int most(Cell cell) {
		return cell.variant().equals(GridPage.SMALL_POOL) ? GridPage.SMALL_POOL_THREADS : cell.load().size();
	}

}
