package dev.sluice.lab.bundle;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.bundle.Bundle;
import dev.sluice.lab.kit.bundle.Bundle.Content;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.RawFiles;
import dev.sluice.lab.kit.run.RunDirectory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
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

	@ParameterizedTest
	@ValueSource(strings = { "--scenario elsewhere/slow.yaml", "--scenario=elsewhere/slow.yaml" })
	void theScenarioIsTheOneThatTheRunHasKept(String option) throws IOException {
		Path file = Files.writeString(this.directory.resolve("slow.yaml"), "question: Why?");
		Path first = this.directory.resolve("first");
		Files.createDirectories(first);
		new RunDirectory(first).keepScenario(file);
		Path bundle = bundle("lab compare " + option, Runs.brief());
		Files.writeString(file, "changed since");

		int exit = rerun(bundle.toString(), "--trust", "--out", this.directory.resolve("second").toString());

		assertThat(this.err).asString().isEmpty();
		assertThat(exit).isZero();
		Path kept = this.directory.resolve("second/scenario/slow.yaml");
		assertThat(kept).hasContent("question: Why?");
		assertThat(Files.readString(this.directory.resolve("second/words.txt"))).contains(kept.toString());
	}

	@Test
	void aScenarioNeedsTrust() throws IOException {
		assertThat(rerun(bundle("lab compare --scenario slow.yaml", Runs.brief()).toString())).isOne();
		assertThat(this.err).asString().contains("--scenario, which reads a file");
	}

	@Test
	void commandsThatAreNoExperimentAreRefused() throws IOException {
		assertThat(rerun(bundle("lab other", Runs.brief()).toString())).isOne();
		assertThat(this.err).asString().contains("'lab other' is not an experiment");
	}

	@Test
	void commandsOfAnotherLabAreRefusedInALine() throws IOException {
		assertThat(rerun(bundle("lab compare --nonsense '", Runs.brief()).toString())).isOne();
		assertThat(this.err).asString().contains("is not one of this lab").hasLineCount(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					Fast: queued saved 0.86 times as many at 10 in flight. | Fast: queued saved 0.9 times as many at 10 in flight.
					sync saves more at 10 in flight.                       | sync saves more at 10 † in flight.
					sync saves more at 10, 100 in flight.                  | sync saves more at 10 †, 100 in flight.
					Slow: queued keeps up with 300 to 1,000/s.             | Slow: queued keeps up with 1,000/s.
					reactive sync: 3,342 orders per second; at 3,500/s p99 250 ms. | reactive sync: 987 orders per second; at 1,020/s p99 1,201 ms.
					500 requests outstanding after 18 s, of 1,800 sent.    | 1,546 requests outstanding after 18 s, of 1,790 sent.
					""")
	void figuresMayDiffer(String first, String second) {
		assertThat(new TwoRuns.Pair(first, second).similarity()).isEqualTo(TwoRuns.Similarity.OTHER_FIGURES);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			sync saves more from 10 to 100 in flight. | sync saves more from 30 to 100 in flight.
			sync saves more from 10 to 100 in flight. | sync saves more from 10 to 1,000 in flight.
			sync saves more at 10, 100 in flight.     | sync saves more at 10, 1,000 in flight.
			sync saves more at 10 †, 100 in flight.   | sync saves more at 30, 100 in flight.
			sync saves more at 100, 300/s offered.    | sync saves more at 100, 1,000/s offered.
			sync saves more at N = 10, 100; the rest  | sync saves more at N = 10, 200; the rest
			0 of 9,400 orders were saved before it.   | 3 of 9,400 orders were saved before it.
			queued saves more at every load.          | sync saves more at every load.
			queued saves more at every load.          | ''
			""")
	void wordsLoadsAndNoneMayNot(String first, String second) {
		assertThat(new TwoRuns.Pair(first, second).similarity()).isEqualTo(TwoRuns.Similarity.OTHER);
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
				bundle, Content.ALL);
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
			throw new AssertionError("This is not an experiment");
		}

	}

	/** Writes a result as an experiment does, and records the words of the call. */
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

		@Option(names = "--scenario", paramLabel = "FILE")
		private @Nullable Path scenario;

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
