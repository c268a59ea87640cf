package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.report.Report;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.exc.StreamReadException;

import static org.assertj.core.api.Assertions.assertThat;

class ExperimentTests {

	@TempDir
	private Path directory;

	private final Interruption interruption = new Interruption();

	private final List<RunResult> shown = new ArrayList<>();

	@AfterEach
	void close() {
		this.interruption.close();
	}

	@Test
	void whatEndsByItselfIsWhole() throws IOException {
		run(() -> {
		});

		assertThat(written().partial()).isNull();
		assertThat(this.directory.resolve(Experiment.FAILURES)).doesNotExist();
	}

	@ParameterizedTest
	@MethodSource("endings")
	void whateverEndsItTheResultIsWrittenAndSaysWhy(Throwable ending, String why, boolean expected) throws IOException {
		run(() -> throwIt(ending));

		assertThat(written().partial()).contains(why);
		assertThat(this.directory.resolve(Experiment.FAILURES).toFile().exists()).isEqualTo(!expected);
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
	void showsWhatWasMeasuredSoFar() throws IOException {
		Trial[] trial = new Trial[1];
		trial[0] = new Trial("grid", () -> trial[0].showSoFar(), () -> Runs.drain().finding());

		trial[0].run();

		assertThat(this.shown).singleElement().satisfies((run) -> {
			assertThat(run.partial()).isEqualTo("the run has not ended yet");
			assertThat(run.finding()).isEqualTo(Runs.drain().finding());
		});
		assertThat(written().partial()).isNull();
	}

	@Test
	void keepsTheStackTraceOfWhatIsNotExpected() throws IOException {
		run(() -> throwIt(new IllegalStateException("a bug")));

		assertThat(this.directory.resolve(Experiment.FAILURES)).content()
			.contains("IllegalStateException: a bug")
			.contains("ExperimentTests");
		assertThat(written().partial()).contains(Experiment.FAILURES);
	}

	@Test
	void anInterruptWhileItConcludesDoesNotCostTheResult() throws IOException {
		AtomicInteger conclusions = new AtomicInteger();

		new Trial("grid", () -> {
		}, () -> {
			if (conclusions.incrementAndGet() == 1) {
				throw new ClosedByInterruptException();
			}
			return Runs.drain().finding();
		}).run();

		assertThat(written().partial()).isEqualTo("interrupted");
		assertThat(written().configuration()).containsEntry("of", "grid");
	}

	@ParameterizedTest
	@MethodSource("experiments")
	void aResultIsWrittenAlsoIfNothingCanBeConcluded(String experiment) throws IOException {
		RunResult result = new Trial(experiment, () -> {
		}, () -> {
			throw new IllegalStateException("no conclusion");
		}).run();

		assertThat(written().partial()).contains("no conclusion");
		assertThat(written().command()).isEqualTo("lab " + experiment);
		Report.write(result, this.directory.resolve("report.html"));
		assertThat(this.directory.resolve("report.html")).content().contains("no conclusion");
	}

	static Stream<String> experiments() {
		return Runs.ofEveryKind().stream().map(RunResult::experiment).distinct();
	}

	private void run(Work work) throws IOException {
		new Trial("grid", work, () -> Runs.drain().finding()).run();
	}

	private RunResult written() throws IOException {
		return RunFile.read(this.directory.resolve(RunFile.NAME));
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

		void run() throws Exception;

	}

	@FunctionalInterface
	private interface Conclusion {

		Finding find() throws IOException;

	}

	private final class Shown implements ReportWriter {

		@Override
		public void write(RunResult run, Path html) {
			ExperimentTests.this.shown.add(run);
		}

		@Override
		public String text(RunResult run) {
			return "";
		}

	}

	/** Starts nothing. */
	private final class Trial extends Experiment {

		private final String name;

		private final Work work;

		private final Conclusion conclusion;

		Trial(String name, Work work, Conclusion conclusion) {
			super(name,
					new Run("lab " + name, new RunDirectory(ExperimentTests.this.directory),
							new Progress(new PrintStream(PrintStream.nullOutputStream())),
							new PrintWriter(new StringWriter()), ExperimentTests.this.interruption, new Shown()),
					Infrastructure.EMBEDDED);
			this.name = name;
			this.work = work;
			this.conclusion = conclusion;
		}

		@Override
		protected void measure() throws Exception {
			this.work.run();
		}

		@Override
		protected Finding finding() throws IOException {
			return this.conclusion.find();
		}

		@Override
		protected Map<String, String> configuration() {
			return Map.of("of", this.name);
		}

	}

}
