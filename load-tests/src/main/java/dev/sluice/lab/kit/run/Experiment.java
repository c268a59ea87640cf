package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * The course of every experiment: measure, then write the result. If an exception, an
 * error or an interrupt ends the measuring early, the result has what was measured until
 * then and says why it is partial. An unexpected exception leaves its stack trace in
 * {@value #FAILURES}. Used by one thread.
 */
public abstract class Experiment {

	/** The file with the stack traces, in the run's directory. */
	public static final String FAILURES = "failures.txt";

	private static final int TRIES = 3;

	private final String name;

	private final Run run;

	private Instant startedAt = Instant.EPOCH;

	private @Nullable Environment environment;

	/** The infrastructure asked for, until it is known what runs. */
	private Infrastructure infrastructure;

	/**
	 * @param name its command, for the result
	 * @param infrastructure how Kafka and PostgreSQL are to run
	 */
	protected Experiment(String name, Run run, Infrastructure infrastructure) {
		this.name = name;
		this.run = run;
		this.infrastructure = infrastructure;
	}

	/** Measures. Anything thrown makes the result partial. */
	protected abstract void measure() throws Exception;

	/**
	 * The finding so far; called again if it fails.
	 * @return null if nothing was found
	 */
	protected abstract @Nullable Finding finding() throws IOException;

	/**
	 * What neither the command nor the finding says of the configuration: name to value
	 * with its unit.
	 */
	protected Map<String, String> configuration() {
		return Map.of();
	}

	/** The checks of the run's own data. */
	protected List<Check> checks() {
		return List.of();
	}

	/** Why a complete run has failed anyway; null if it has not. */
	protected @Nullable String failure(RunResult result) {
		return null;
	}

	/**
	 * Measures, and writes the result.
	 * @throws IOException if the result cannot be written
	 */
	public final RunResult run() throws IOException {
		this.startedAt = Instant.now();
		String partial = null;
		try {
			measure();
		}
		catch (Throwable ex) {
			partial = why(ex);
		}
		Instant finishedAt = Instant.now();
		// Again after a failure, such as an interrupt; at last without a finding.
		for (int tries = 1;; tries++) {
			try {
				return write(result(finishedAt, partial, (tries < TRIES) ? finding() : null));
			}
			catch (Throwable ex) {
				if (tries == TRIES) {
					throw ex;
				}
				String why = why(ex);
				partial = (partial != null) ? partial : why;
			}
		}
	}

	/**
	 * Writes a page of what was measured so far, which that of the whole run replaces.
	 */
	protected final void showSoFar() throws IOException {
		this.run.report()
			.write(result(Instant.now(), "the run has not ended yet", finding()),
					directory().path().resolve(ReportWriter.NAME));
	}

	private RunResult result(Instant until, @Nullable String partial, @Nullable Finding finding) {
		if (this.environment == null) {
			this.environment = EnvironmentProbe.probe(Workspace.find().root(), this.infrastructure);
		}
		return new RunResult(RunResult.SCHEMA, this.name, this.run.command(), this.startedAt, until, partial,
				this.environment, configuration(), finding, checks());
	}

	private RunResult write(RunResult result) throws IOException {
		RunFile.write(result, directory().path());
		return result;
	}

	/**
	 * Why a run that ended this way is partial. Clears the thread's interrupt, so that it
	 * can write what was measured.
	 */
	protected final String why(Throwable ending) {
		Thread.interrupted();
		String expected = RunDirectory.whyPartial(ending, this.run.interruption());
		if (expected != null) {
			return expected;
		}
		keepStackTrace(ending);
		return "%s (%s has the stack trace)".formatted(ending, FAILURES);
	}

	private void keepStackTrace(Throwable ending) {
		Path file = directory().path().resolve(FAILURES);
		try (PrintWriter out = new PrintWriter(
				Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
			ending.printStackTrace(out);
		}
		catch (IOException ex) {
			// The reason is in the result anyway.
			ending.addSuppressed(ex);
		}
	}

	/** A stack with the run's infrastructure, its logs in the run's directory. */
	protected final Stack stack() throws IOException {
		return stack(StackOptions.DEFAULT);
	}

	protected final Stack stack(StackOptions options) throws IOException {
		Stack stack = new Stack(Workspace.find(), this.infrastructure, directory().directory("logs"), options);
		this.infrastructure = stack.infrastructure().infrastructure();
		return stack;
	}

	/** How Kafka and PostgreSQL run; before the first stack, how they are to run. */
	protected final Infrastructure infrastructure() {
		return this.infrastructure;
	}

	protected final RunDirectory directory() {
		return this.run.directory();
	}

	protected final Progress progress() {
		return this.run.progress();
	}

	protected final PrintWriter out() {
		return this.run.out();
	}

	protected final Interruption interruption() {
		return this.run.interruption();
	}

}
