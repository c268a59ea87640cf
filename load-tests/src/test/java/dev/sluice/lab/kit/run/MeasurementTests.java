package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.run.Measurement.Course;
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
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.exc.StreamReadException;

import static org.assertj.core.api.Assertions.assertThat;

class MeasurementTests {

	@TempDir
	private Path directory;

	private final Interruption interruption = new Interruption();

	@AfterEach
	void close() {
		this.interruption.close();
	}

	@Test
	void whatEndsByItselfIsWhole() throws IOException {
		measurement("grid").run(() -> {
		}, MeasurementTests::result);

		assertThat(written().partial()).isNull();
		assertThat(this.directory.resolve(Measurement.FAILURES)).doesNotExist();
	}

	@ParameterizedTest
	@MethodSource("endings")
	void whateverEndsItTheResultIsWrittenAndSaysWhy(Throwable ending, String why, boolean expected) throws IOException {
		measurement("grid").run(() -> throwIt(ending), MeasurementTests::result);

		assertThat(written().partial()).contains(why);
		assertThat(this.directory.resolve(Measurement.FAILURES).toFile().exists()).isEqualTo(!expected);
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
	void keepsTheStackTraceOfWhatIsNotExpected() throws IOException {
		measurement("grid").run(() -> throwIt(new IllegalStateException("a bug")), MeasurementTests::result);

		assertThat(this.directory.resolve(Measurement.FAILURES)).content()
			.contains("IllegalStateException: a bug")
			.contains("MeasurementTests");
		assertThat(written().partial()).contains(Measurement.FAILURES);
	}

	@Test
	void anInterruptWhileItConcludesDoesNotCostTheResult() throws IOException {
		AtomicInteger conclusions = new AtomicInteger();

		measurement("grid").run(() -> {
		}, (course) -> {
			if (conclusions.incrementAndGet() == 1) {
				throw new ClosedByInterruptException();
			}
			return result(course);
		});

		assertThat(written().partial()).isEqualTo("interrupted");
		assertThat(written().configuration()).containsEntry("from", "conclusion");
	}

	@ParameterizedTest
	@ValueSource(strings = { "compare", "causes", "chaos", "client", "grid", "knee", "pool", "prove", "sink" })
	void aResultIsWrittenAlsoIfNothingCanBeConcluded(String experiment) throws IOException {
		RunResult result = measurement(experiment).run(() -> {
		}, (_) -> {
			throw new IllegalStateException("no conclusion");
		});

		assertThat(written().partial()).contains("no conclusion");
		assertThat(written().command()).isEqualTo("lab " + experiment);
		Report.write(List.of(result), this.directory.resolve("report.html"));
		assertThat(this.directory.resolve("report.html")).content().contains("no conclusion");
	}

	private Measurement measurement(String experiment) {
		return new Measurement(experiment, "lab " + experiment, new RunDirectory(this.directory),
				new Progress(new PrintStream(PrintStream.nullOutputStream()), false, Instant.now()), this.interruption);
	}

	private RunResult written() throws IOException {
		return RunFile.read(this.directory.resolve(RunFile.NAME));
	}

	private static RunResult result(Course course) {
		return new RunResult(RunResult.SCHEMA, "grid", "lab grid", course.startedAt(), course.finishedAt(),
				course.partial(), new Environment(1, 1, "cpu", "os", "java", "embedded", "sha", false, Map.of()),
				Map.of("from", "conclusion"), List.of(), List.of(), null, List.of());
	}

	private static void throwIt(Throwable ending) throws Exception {
		switch (ending) {
			case Exception ex -> throw ex;
			case Error ex -> throw ex;
			default -> throw new IllegalArgumentException(ending);
		}
	}

}
