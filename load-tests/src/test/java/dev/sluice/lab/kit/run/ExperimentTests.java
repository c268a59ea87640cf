package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.Report;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.Experiment.ReportWriter;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import tools.jackson.core.exc.StreamReadException;

import static org.assertj.core.api.Assertions.assertThat;

class ExperimentTests {

	@TempDir
	private Path directory;

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private final List<RunResult> shown = new ArrayList<>();

	private String name = "trial";

	private Work work = (trial) -> trial.out().println("a line of the run");

	private Conclusion conclusion = () -> Runs.drain().finding();

	private @Nullable String failure;

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
	void aWholeRunEndsWith0AndItsSummary() throws IOException {
		assertThat(trial()).isZero();

		assertThat(this.out.toString())
			.isEqualTo("a line of the run%none row%nin two lines%nReport: %s%n".formatted(report()));
		assertThat(report()).exists();
		assertThat(written().partial()).isNull();
		assertThat(this.directory.resolve(Experiment.FAILURES)).doesNotExist();
	}

	@Test
	void whatMissesItsGoalEndsWith1AndLeavesItsReport() {
		this.failure = "an order is lost";

		assertThat(trial()).isOne();
		assertThat(this.err.toString()).isEqualTo("an order is lost%n".formatted());
		assertThat(report()).exists();
	}

	@ParameterizedTest
	@MethodSource("endings")
	void whateverEndsItTheResultIsWrittenAndSaysWhy(Throwable ending, String why, boolean expected) throws IOException {
		this.failure = "said of whole runs only";
		this.work = (_) -> throwIt(ending);

		assertThat(trial()).isOne();

		assertThat(written().partial()).contains(why);
		assertThat(this.err.toString())
			.isEqualTo("The run is partial: %s. Its data are in %s%n".formatted(written().partial(), this.directory));
		assertThat(report()).exists();
		Path failures = this.directory.resolve(Experiment.FAILURES);
		assertThat(failures.toFile().exists()).isEqualTo(!expected);
		if (!expected) {
			assertThat(failures).content().contains(ending.getClass().getSimpleName(), "ExperimentTests");
			assertThat(written().partial()).contains(Experiment.FAILURES);
		}
	}

	static Stream<Arguments> endings() {
		return Stream.of(Arguments.of(new LabException("the gateway died"), "the gateway died", true),
				Arguments.of(new IOException("No space left on device"), "the disk is full", true),
				Arguments.of(new InterruptedException(), "interrupted", true),
				Arguments.of(new ClosedByInterruptException(), "interrupted", true),
				Arguments.of(new TimeoutException("no broker"), "no broker", true),
				Arguments.of(new UncheckedIOException(new IOException("cut off")), "cut off", false),
				Arguments.of(new StreamReadException(null, "Unexpected end-of-input"), "Unexpected end-of-input",
						false),
				Arguments.of(new IllegalStateException("a bug"), "IllegalStateException: a bug", false),
				Arguments.of(new OutOfMemoryError("Java heap space"), "OutOfMemoryError: Java heap space", false),
				Arguments.of(new StackOverflowError(), "StackOverflowError", false));
	}

	@Test
	void showsWhatWasMeasuredSoFar() {
		this.work = Experiment::showSoFar;

		assertThat(trial()).isZero();

		assertThat(this.shown).hasSize(2).first().satisfies((run) -> {
			assertThat(run.partial()).isEqualTo("the run has not ended yet");
			assertThat(run.finding()).isEqualTo(Runs.drain().finding());
		});
	}

	@Test
	void anInterruptWhileItConcludesDoesNotCostTheResult() throws IOException {
		AtomicInteger conclusions = new AtomicInteger();
		this.conclusion = () -> {
			if (conclusions.incrementAndGet() == 1) {
				throw new ClosedByInterruptException();
			}
			return Runs.drain().finding();
		};

		trial();

		assertThat(written().partial()).isEqualTo("interrupted");
		assertThat(written().configuration()).containsEntry("of", "trial");
	}

	@ParameterizedTest
	@MethodSource("experiments")
	void aResultIsWrittenAlsoIfNothingCanBeConcluded(String experiment) throws IOException {
		this.name = experiment;
		this.conclusion = () -> {
			throw new IllegalStateException("no conclusion");
		};

		trial();

		assertThat(written().experiment()).isEqualTo(experiment);
		assertThat(written().partial()).contains("no conclusion");
		assertThat(report()).content().contains("no conclusion");
	}

	static Stream<String> experiments() {
		return Runs.ofEveryKind().stream().map(RunResult::experiment).distinct();
	}

	@Test
	void jsonIsAllThatGoesToStandardOutput() throws IOException {
		assertThat(trial("--json")).isZero();

		assertThat(RunFile.parse("out", this.out.toString().getBytes(StandardCharsets.UTF_8)).command())
			.isEqualTo("lab trial --json --out " + this.directory);
		assertThat(this.err.toString()).isEqualTo("a line of the run%n".formatted());
	}

	@ParameterizedTest
	@CsvSource({ "--patience 3, 180", "--json, 150" })
	void patienceIsSetBeforeTheRunBeginsIfTheOptionIsThere(String options, long seconds) {
		System.setProperty(Patience.PROPERTY, "2.5");

		assertThat(trial(options.split(" "))).isZero();

		assertThat(this.patience).isEqualTo(Duration.ofSeconds(seconds));
	}

	private Path report() {
		return this.directory.resolve(ReportWriter.NAME);
	}

	private RunResult written() throws IOException {
		return RunFile.read(this.directory.resolve(RunFile.NAME));
	}

	private int trial(String... options) {
		CommandLine command = new CommandLine(new Root()).addSubcommand(new Trial())
			.setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(this.err, true))
			.setExecutionExceptionHandler((exception, line, _) -> {
				line.getErr().println(exception.getMessage());
				return CommandLine.ExitCode.SOFTWARE;
			});
		return command
			.execute(Stream.of(Stream.of("trial"), Stream.of(options), Stream.of("--out", this.directory.toString()))
				.flatMap((words) -> words)
				.toArray(String[]::new));
	}

	private static void throwIt(Throwable ending) throws Exception {
		switch (ending) {
			case Exception ex -> throw ex;
			case Error ex -> throw ex;
			default -> throw new IllegalArgumentException(ending);
		}
	}

	@FunctionalInterface
	private interface Work {

		void run(Experiment trial) throws Exception;

	}

	@FunctionalInterface
	private interface Conclusion {

		Finding find() throws IOException;

	}

	@Command(name = "root")
	private final class Root implements ReportWriter {

		@Override
		public void write(RunResult run, Path html) throws IOException {
			ExperimentTests.this.shown.add(run);
			Report.write(run, html);
		}

		@Override
		public String text(RunResult run) {
			return "one row%nin two lines%n".formatted();
		}

	}

	/** Starts nothing. */
	@Command(name = "trial")
	private final class Trial extends Experiment {

		@Override
		protected String name() {
			return ExperimentTests.this.name;
		}

		@Override
		protected void measure() throws Exception {
			ExperimentTests.this.patience = Patience.ofSeconds(60);
			ExperimentTests.this.work.run(this);
		}

		@Override
		protected Finding finding() throws IOException {
			return ExperimentTests.this.conclusion.find();
		}

		@Override
		protected Map<String, String> configuration() {
			return Map.of("of", ExperimentTests.this.name);
		}

		@Override
		protected @Nullable String failure(RunResult result) {
			return ExperimentTests.this.failure;
		}

	}

}
