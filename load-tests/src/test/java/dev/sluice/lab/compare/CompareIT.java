package dev.sluice.lab.compare;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest comparisons, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
class CompareIT {

	@TempDir
	private Path directory;

	@Test
	void everyOrderIsSavedOnceAndNoProcessIsLeft() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter out = new StringWriter();

		int exitCode = new CommandLine(new CompareCommand(Report::write)).setOut(new PrintWriter(out))
			.execute("--smallest", "--infra", Infrastructure.fromEnvironment().name(), "--out", results.toString());

		assertThat(exitCode).isZero();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
		assertThat(run.cells()).hasSize(8).allSatisfy((result) -> {
			assertThat(result.problem()).as(result.cell().toString()).isNull();
			assertThat(result.saved()).isEqualTo(result.cell().orders());
			assertThat(result.accepted()).isEqualTo(result.cell().orders());
			assertThat(result.calls()).isEqualTo(result.accepted() + result.failedCalls());
			assertThat(result.seconds().stream().mapToLong(CellResult.Second::calls).sum())
				.isEqualTo(result.accepted());
		});
		assertThat(run.cells()).as("connections kept since the warm-up").anySatisfy((result) -> {
			assertThat(result.seconds().getLast().pooled()).isPositive();
			if (Files.isReadable(Path.of("/proc/net/tcp"))) {
				assertThat(result.seconds().getLast().connections()).isPositive();
			}
		});
		assertThat(out.toString()).contains("servlet-virtual sync", "reactive queued", "report.html");
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

	/** The setting that needs most: TLS, connections that are not kept, a small heap. */
	@Test
	void findsCausesOverNewTlsConnections() throws Exception {
		Path results = this.directory.resolve("results");

		int exitCode = new CommandLine(new CompareCommand(Report::write)).setOut(new PrintWriter(new StringWriter()))
			.execute("--causes", "--smallest", "--infra", Infrastructure.fromEnvironment().name(), "--out",
					results.toString());

		assertThat(exitCode).isZero();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
		assertThat(run.checks()).hasSize(1);
		assertThat(run.finding()).isInstanceOfSatisfying(CausesResult.class,
				(found) -> assertThat(found.cells()).singleElement().satisfies((cell) -> {
					assertThat(cell.problem()).isNull();
					assertThat(cell.answered()).isEqualTo(cell.orders());
					assertThat(cell.connectionsOpened()).isGreaterThanOrEqualTo(cell.backendMaxInFlight());
					assertThat(cell.gateway().gcPauses()).isNotNull();
				}));
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

}
