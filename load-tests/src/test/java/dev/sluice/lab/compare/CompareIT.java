package dev.sluice.lab.compare;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest comparisons, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class CompareIT {

	/** With the logs, if a test fails. */
	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private final LabRun lab = new LabRun();

	@Test
	void everyOrderIsSavedOnceAndNoProcessIsLeft() throws Exception {
		RunResult run = this.lab.run(this.directory, "compare --smallest");

		assertThat(run.cells()).hasSize(8).allSatisfy((result) -> {
			assertNoProblemButGaps(result);
			assertThat(result.saved()).isEqualTo(result.accepted()).isGreaterThanOrEqualTo(50);
			assertThat(result.calls()).isEqualTo(result.accepted() + result.failedCalls());
			assertThat(result.toSaved()).isNotNull().satisfies((wait) -> {
				assertThat(wait.orders()).isEqualTo(result.accepted());
				assertThat(wait.unfinished()).isZero();
				assertThat(wait.p50()).as("the backend takes 50 ms").isGreaterThanOrEqualTo(50);
			});
			assertThat(result.toAccepted()).isNotNull();
		});
		assertThat(run.cells()).as("scraped and sampled").anySatisfy((result) -> {
			assertThat(result.problem()).isNull();
			assertThat(result.utilisation()).isNotNull()
				.satisfies(
						(busy) -> assertThat(busy.processes()).containsKeys("gateway", "consumer", "backend", "kafka"));
			if (Files.isReadable(Path.of("/proc/stat"))) {
				assertThat(result.utilisation().bottleneck()).isNotNull();
			}
		});
		assertThat(this.lab.out()).startsWith("Everything works. This was the smallest run")
			.doesNotContain("Bottleneck of")
			.containsPattern("servlet-virtual +sync")
			.containsPattern("reactive +queued")
			.contains("report.html");
		assertThat(this.directory.resolve("report.html")).content()
			.contains("Nothing is concluded", "Bottlenecks")
			.doesNotContain("Which mode for which load?", "Bottleneck of ");
		assertRecomputed(this.directory, 8);
	}

	/** A busy machine may leave a cell of a second without a scrape or a sample. */
	private void assertNoProblemButGaps(CellResult result) {
		assertThat(result.problem())
			.as(() -> "%s, failures %s, logs in %s".formatted(result.cell(), result.failures(), this.directory))
			.satisfiesAnyOf((problem) -> assertThat(problem).isNull(),
					(problem) -> assertThat(problem).containsAnyOf("were scraped", "is not known"));
	}

	/** Another program computes the same figures, if Python is installed. */
	private void assertRecomputed(Path results, int cells) throws Exception {
		boolean python = Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.anyMatch((path) -> Files.isExecutable(Path.of(path, "python3")));
		if (!python) {
			return;
		}
		Path output = this.directory.resolve("recomputed.txt");
		Process recompute = new ProcessBuilder("python3", "scripts/recompute.py", results.toString())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		assertThat(recompute.waitFor(Patience.ofSeconds(60))).as("ended").isTrue();
		assertThat(recompute.exitValue()).as(Files.readString(output)).isZero();
		assertThat(output).content().contains("figures of %s cells recomputed, 0 differ".formatted(cells));
	}

	@Test
	void measuresBurstsInServicesThatAreNew() throws Exception {
		RunResult run = this.lab.run(this.directory,
				"compare --burst --smallest --variants reactive --modes queued --seed 1");

		assertThat(run.cells()).hasSize(2).allSatisfy((result) -> {
			assertNoProblemButGaps(result);
			assertThat(result.cell().load().kind()).isEqualTo(Load.Kind.BURST);
			assertThat(result.saved()).isEqualTo(result.cell().load().size());
		});
	}

	@Test
	void offersOrdersByTheClock() throws Exception {
		RunResult run = this.lab.run(this.directory, "compare --rates 50 --smallest --variants reactive --modes sync");

		assertThat(run.cells()).singleElement().satisfies((result) -> {
			assertNoProblemButGaps(result);
			assertThat(result.cell().load()).isEqualTo(new Load(Load.Kind.OFFERED, 50));
			assertThat(result.saved()).isEqualTo(50);
			assertThat(result.savedPerSecond()).as("not faster than they are due").isLessThan(52);
		});
	}

	/** The most demanding setting: new connections, a small heap. */
	@Test
	void findsCausesOverNewConnections() throws Exception {
		RunResult run = this.lab.run(this.directory, "compare --causes --smallest");

		assertThat(run.cells()).singleElement().satisfies((result) -> {
			assertNoProblemButGaps(result);
			assertThat(result.accepted()).isEqualTo(result.cell().load().size());
			assertThat(result.connectionsOpened()).isGreaterThanOrEqualTo(result.backendMaxInFlight());
			assertThat(result.services().get("gateway").gcPauses()).isNotNull();
		});
	}

}
