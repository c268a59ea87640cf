package dev.sluice.lab.compare;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest grid, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class GridIT {

	@TempDir
	private Path directory;

	@Test
	void onlyWhoBlocksAFewThreadsLetsRequestsQueue() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter out = new StringWriter();

		int exitCode = new CommandLine(new GridCommand(Report::write)).setOut(new PrintWriter(out))
			.execute("--smallest", "--infra", Infrastructure.fromEnvironment().name(), "--out", results.toString());

		assertThat(exitCode).isZero();
		assertThat(RunFile.read(results.resolve(RunFile.NAME)).finding()).isInstanceOfSatisfying(GridResult.class,
				(grid) -> assertThat(grid.cells()).hasSize(2).allSatisfy((cell) -> {
					assertThat(cell.answered()).isPositive();
					assertThat(cell.failures()).isEmpty();
					assertThat(cell.executingMost()).isLessThanOrEqualTo(most(grid, cell));
				}));
		assertThat(out.toString()).contains("servlet-platform-14", "reactive");
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

	private static int most(GridResult grid, Cell cell) {
		return cell.variant().equals("servlet-platform-14") ? grid.smallPool() : cell.concurrency();
	}

}
