package dev.sluice.lab.bundle;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.bundle.Bundle;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.RawFiles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import static org.assertj.core.api.Assertions.assertThat;

class RerunCommandTests {

	@TempDir
	private Path directory;

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private RunResult again = Runs.brief();

	@Test
	void runsTheCommandAgainAndShowsTheVerdictsOfBoth() throws IOException {
		Path bundle = bundle("lab compare --quick --note 'two words' --json --out=elsewhere --seed 7", Runs.brief());

		int exit = rerun(bundle.toString(), "--out", this.directory.resolve("second").toString());

		assertThat(this.err).asString().isEmpty();
		assertThat(exit).isZero();
		assertThat(Files.readString(this.directory.resolve("second/words.txt"))).isEqualTo(
				"[--quick, --note, two words, --seed, 7, --out, %s]".formatted(this.directory.resolve("second")));
		assertThat(this.out).asString().contains("Running: lab compare --quick", "  = ");
	}

	@Test
	void aVerdictThatDiffersIsShownAndFails() throws IOException {
		Path bundle = bundle("lab compare", Runs.brief());
		this.again = queuedSaves(Runs.brief(), 10);

		int exit = rerun(bundle.toString(), "--out", this.directory.resolve("second").toString());

		assertThat(exit).isOne();
		assertThat(this.out).asString().contains("  ≠ 1 ", "    2 ");
	}

	@Test
	void saysWhatDiffers() throws IOException {
		Path one = directory("one", Runs.brief());
		RunResult run = Runs.brief();
		Environment here = run.environment();
		Path other = directory("other",
				new RunResult(run.schema(), run.experiment(), run.command(), run.startedAt(), run.finishedAt(), null,
						new Environment(here.cores() + 2, here.memoryBytes(), here.cpu(), here.os(), here.java(),
								here.infrastructure(), "0123456789ab", here.gitDirty(), Map.of("gatling", "9")),
						run.configuration(), run.finding(), List.of()));

		int exit = rerun(one.toString(), "--with", other.toString());

		assertThat(exit).isZero();
		assertThat(this.out).asString()
			.contains("cores: %d → %d".formatted(here.cores(), here.cores() + 2), "→ 0123456789ab", "gatling: ")
			.doesNotContain("processor:");
	}

	@Test
	void commandsThatReachOutsideNeedTrust() throws IOException {
		Path bundle = bundle("lab compare --target http://198.51.100.7:8080", Runs.brief());

		assertThat(rerun(bundle.toString())).isOne();
		assertThat(this.err).asString().contains("--target, which reads a file or loads another system", "--trust");
		assertThat(this.out).asString().isEmpty();
	}

	@Test
	void commandsThatAreNoExperimentAreRefused() throws IOException {
		assertThat(rerun(bundle("lab other", Runs.brief()).toString())).isOne();
		assertThat(this.err).asString().contains("'lab other' is no experiment");
	}

	@Test
	void commandsOfAnotherLabAreRefusedInALine() throws IOException {
		assertThat(rerun(bundle("lab compare --nonsense '", Runs.brief()).toString())).isOne();
		assertThat(this.err).asString().contains("is not one of this lab").hasLineCount(1);
	}

	@Test
	void figuresMayDifferButNotLoads() {
		assertThat(new TwoRuns.Pair("Fast: queued saved 0.86 times as many at 10 in flight.",
				"Fast: queued saved 0.9 times as many at 10 in flight.")
			.likeness()).isEqualTo(TwoRuns.Likeness.OTHER_FIGURES);
		assertThat(new TwoRuns.Pair("sync saves more from 10 to 100 in flight.",
				"sync saves more from 10 to 1,000 in flight.")
			.likeness()).isEqualTo(TwoRuns.Likeness.OTHER);
	}

	private static RunResult queuedSaves(RunResult run, double times) {
		CompareResult compare = (CompareResult) run.finding();
		List<CellResult> cells = compare.cells()
			.stream()
			.map((cell) -> cell.cell().mode().equals("sync") ? cell
					: new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls(), cell.failedCalls(),
							cell.failures(), cell.accepted(), cell.saved(), cell.savedPerSecond() * times,
							cell.acceptedPerSecond(), cell.latency(), cell.toAccepted(), cell.toSaved(),
							cell.services(), 0, 0, cell.foreignCpuShare(), cell.startLagP99Millis(), cell.problem(),
							cell.seconds()))
			.toList();
		return new RunResult(run.schema(), run.experiment(), run.command(), run.startedAt(), run.finishedAt(), null,
				run.environment(), run.configuration(), new CompareResult(cells, compare.leftOut(), compare.scenario()),
				List.of());
	}

	private Path bundle(String command, RunResult run) throws IOException {
		Path bundle = this.directory.resolve("run.zip");
		Bundle.pack(
				directory("first",
						new RunResult(run.schema(), run.experiment(), command, run.startedAt(), run.finishedAt(),
								run.partial(), run.environment(), run.configuration(), run.finding(), run.checks())),
				bundle);
		return bundle;
	}

	private Path directory(String name, RunResult run) throws IOException {
		Path path = this.directory.resolve(name);
		RunFile.write(run, path);
		RawFiles.write(path);
		return path;
	}

	private int rerun(String... args) {
		return new CommandLine(new RerunCommand(this::lab)).setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err))
			.setExecutionExceptionHandler((exception, command, _) -> {
				command.getErr().println(exception.getMessage());
				return CommandLine.ExitCode.SOFTWARE;
			})
			.execute(args);
	}

	private CommandLine lab() {
		return new CommandLine(new Root()).addSubcommand(new StubExperiment()).addSubcommand(new Other());
	}

	@Command(name = "lab")
	private static final class Root {

	}

	@Command(name = "other")
	private static final class Other implements Runnable {

		@Override
		public void run() {
			throw new AssertionError("This is no experiment");
		}

	}

	/** Leaves a result as an experiment does, and the words that it was called with. */
	@Command(name = "compare")
	private final class StubExperiment extends ExperimentCommand {

		@Option(names = "--quick")
		private boolean quick;

		@Option(names = "--note")
		private @Nullable String note;

		@Option(names = "--seed")
		private long seed;

		@Option(names = "--target", paramLabel = "FILE|URI")
		private @Nullable String target;

		StubExperiment() {
			super((_, _) -> {
			});
		}

		@Override
		public Integer call() throws IOException {
			assertThat(out()).isNotNull();
			RunFile.write(RerunCommandTests.this.again, out());
			Files.writeString(out().resolve("words.txt"),
					commandLine().isEmpty() ? "" : Words.of(commandLine()).stream().skip(2).toList().toString());
			return 0;
		}

	}

}
