package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import static org.assertj.core.api.Assertions.assertThat;

class ExperimentCommandTests {

	@TempDir
	private Path directory;

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private @Nullable String ending;

	private @Nullable String failure;

	private boolean interrupted;

	private @Nullable Duration patience;

	private final @Nullable String before = System.getProperty(Patience.PROPERTY);

	@AfterEach
	void restorePatience() {
		if (this.before != null) {
			System.setProperty(Patience.PROPERTY, this.before);
		}
		else {
			System.clearProperty(Patience.PROPERTY);
		}
	}

	@Test
	void aWholeRunEndsWith0AndItsSummary() {
		assertThat(trial()).isZero();

		assertThat(this.out.toString())
			.isEqualTo("a line of the run%none row%nin two lines%nReport: %s%n".formatted(report()));
		assertThat(report()).hasContent("the page");
	}

	@Test
	void whatMissesItsGoalEndsWith1AndLeavesItsReport() {
		this.failure = "an order is lost";

		assertThat(trial()).isOne();
		assertThat(this.err.toString()).isEqualTo("an order is lost%n".formatted());
		assertThat(report()).exists();
	}

	@Test
	void aPartialRunEndsWith1WhateverItFound() {
		this.ending = "the gateway died";

		assertThat(trial()).isOne();
		assertThat(this.err.toString()).isEqualTo(
				"The run is partial: the gateway died. Its data are in %s%n".formatted(this.directory.resolve("run")));
		assertThat(report()).exists();
	}

	@Test
	void aRunThatIsInterruptedSaysWhereItsDataAre() {
		this.interrupted = true;

		assertThat(trial()).isOne();
		assertThat(this.err.toString()).isEqualTo(
				"The run is partial: interrupted. Its data are in %s%n".formatted(this.directory.resolve("run")));
		assertThat(this.directory.resolve("run").resolve(RunFile.NAME)).exists();
	}

	@Test
	void jsonIsAllThatGoesToStandardOutput() throws IOException {
		assertThat(trial("--json")).isZero();

		Path copy = this.directory.resolve("copy");
		Files.createDirectories(copy);
		Files.writeString(copy.resolve(RunFile.NAME), this.out.toString());
		assertThat(RunFile.read(copy.resolve(RunFile.NAME)).experiment()).isEqualTo("trial");
		assertThat(this.err.toString()).isEqualTo("a line of the run%n".formatted());
	}

	@Test
	void patienceIsSetBeforeTheRunBegins() {
		assertThat(trial("--patience", "3")).isZero();

		assertThat(this.patience).isEqualTo(Duration.ofSeconds(180));
	}

	@Test
	void withoutTheOptionPatienceStaysAsItIs() {
		System.setProperty(Patience.PROPERTY, "2.5");

		assertThat(trial()).isZero();

		assertThat(this.patience).isEqualTo(Duration.ofSeconds(150));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.9", "101", "NaN", "long" })
	void refusesPatienceThatIsNone(String factor) {
		assertThat(trial("--patience", factor)).isEqualTo(CommandLine.ExitCode.USAGE);

		assertThat(this.err.toString()).contains("--patience");
		assertThat(this.patience).isNull();
	}

	private Path report() {
		return this.directory.resolve("run").resolve(ReportWriter.NAME);
	}

	private int trial(String... options) {
		CommandLine command = new CommandLine(new Root()).addSubcommand(new Trial())
			.setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err))
			.setExecutionExceptionHandler((exception, line, _) -> {
				line.getErr().println(exception.getMessage());
				return CommandLine.ExitCode.SOFTWARE;
			});
		return command.execute(Stream
			.of(Stream.of("trial"), Stream.of(options), Stream.of("--out", this.directory.resolve("run").toString()))
			.flatMap((words) -> words)
			.toArray(String[]::new));
	}

	@Command(name = "root")
	private static final class Root implements ReportWriter {

		@Override
		public void write(RunResult run, Path html) throws IOException {
			Files.writeString(html, "the page");
		}

		@Override
		public String text(RunResult run) {
			return "one row%nin two lines%n".formatted();
		}

	}

	@Command(name = "trial")
	private final class Trial extends ExperimentCommand {

		@Override
		public Integer call() {
			return run("trial", commandLine(), Measured::new);
		}

	}

	/** Starts nothing. */
	private final class Measured extends Experiment {

		Measured(Run run) {
			super("trial", run, Infrastructure.EMBEDDED);
		}

		@Override
		protected void measure() throws InterruptedException {
			ExperimentCommandTests.this.patience = Patience.ofSeconds(60);
			if (ExperimentCommandTests.this.interrupted) {
				throw new InterruptedException();
			}
			if (ExperimentCommandTests.this.ending != null) {
				throw new LabException(ExperimentCommandTests.this.ending);
			}
			out().println("a line of the run");
			out().flush();
		}

		@Override
		protected @Nullable Finding finding() {
			return Runs.chaos(0).finding();
		}

		@Override
		protected Map<String, String> configuration() {
			return Map.of();
		}

		@Override
		protected @Nullable String failure(RunResult result) {
			return ExperimentCommandTests.this.failure;
		}

	}

}
