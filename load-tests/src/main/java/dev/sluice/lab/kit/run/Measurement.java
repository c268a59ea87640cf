package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.StartFailedException;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The course of every experiment: it measures, and then its result is written. Whatever
 * ends the measuring early, be it an exception, an error or an interrupt, the result has
 * what was measured until then and says why it is partial. What is not expected leaves
 * its stack trace in {@value #FAILURES}.
 *
 * @param experiment its name in the result
 * @param command the command line
 * @param directory where the result goes
 * @param progress whose live line ends with the measuring
 * @param interruption asked why the measuring ended
 */
public record Measurement(String experiment, String command, RunDirectory directory, Progress progress,
		Interruption interruption) {

	/** The file with the stack traces, in the run's directory. */
	public static final String FAILURES = "failures.txt";

	/** Measures. What it throws makes the result partial. */
	@FunctionalInterface
	public interface Work {

		void run() throws Exception;

	}

	/** Makes the result of what was measured; may be asked again if it fails. */
	@FunctionalInterface
	public interface Conclusion {

		RunResult of(Course course) throws IOException;

	}

	/**
	 * How the measuring went.
	 *
	 * @param startedAt when it began
	 * @param finishedAt when it ended
	 * @param partial why it is not whole; null if it is
	 */
	public record Course(Instant startedAt, Instant finishedAt, @Nullable String partial) {

		Course partial(String why) {
			return new Course(this.startedAt, this.finishedAt, (this.partial != null) ? this.partial : why);
		}

	}

	/**
	 * Measures, and writes the result.
	 * @throws IOException if the result cannot be written
	 */
	public RunResult run(Work work, Conclusion conclusion) throws IOException {
		Instant startedAt = Instant.now();
		String partial = null;
		try {
			work.run();
			this.progress.endLine();
		}
		catch (Throwable ex) {
			partial = why(ex);
		}
		Course course = new Course(startedAt, Instant.now(), partial);
		try {
			return write(conclusion.of(course));
		}
		catch (Throwable ex) {
			return concludeAgain(course.partial(why(ex)), conclusion);
		}
	}

	/** An interrupt that comes while the result is written must not cost it. */
	private RunResult concludeAgain(Course course, Conclusion conclusion) throws IOException {
		try {
			return write(conclusion.of(course));
		}
		catch (Throwable ex) {
			why(ex);
			Environment unknown = new Environment(Runtime.getRuntime().availableProcessors(), 0, "unknown",
					System.getProperty("os.name"), System.getProperty("java.runtime.version"), "unknown", "unknown",
					false, Map.of());
			return write(new RunResult(RunResult.SCHEMA, this.experiment, this.command, course.startedAt(),
					course.finishedAt(), course.partial(), unknown, Map.of(), List.of(), List.of(), null, List.of()));
		}
	}

	private RunResult write(RunResult result) throws IOException {
		RunFile.write(result, this.directory.path());
		return result;
	}

	/**
	 * Why a run that ended so is partial. The thread can go on and write what was
	 * measured: it is no longer interrupted.
	 */
	public String why(Throwable ending) {
		this.progress.endLine();
		String why = RunDirectory.whyPartial(ending, this.interruption);
		if (!isExpected(ending)) {
			keepStackTrace(ending);
		}
		return why;
	}

	private boolean isExpected(Throwable ending) {
		return this.interruption.isRequested() || ending instanceof LabException
				|| ending instanceof StartFailedException || ending instanceof KafkaException
				|| ending instanceof IOException || ending instanceof InterruptedException;
	}

	private void keepStackTrace(Throwable ending) {
		Path file = this.directory.path().resolve(FAILURES);
		try (PrintWriter out = new PrintWriter(
				Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
			ending.printStackTrace(out);
		}
		catch (IOException ex) {
			// The reason is in the result all the same.
			ending.addSuppressed(ex);
		}
	}

}
