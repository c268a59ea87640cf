package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Workspace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The course of every experiment, which is a command whose options are its settings:
 * check these, measure, write the result, and have the root command, a
 * {@link ReportWriter}, show it. If an exception, an error or an interrupt ends the
 * measuring early, the result has what was measured until then and says why it is
 * partial. An unexpected exception leaves its stack trace in {@value #FAILURES}. Exit
 * code 0 if the run is complete and met its requirements, 1 if not, 2 for wrong usage.
 * Runs once, in one thread.
 */
@SuppressWarnings("NullAway.Init") // Set by call().
public abstract class Experiment extends LabCommand {

	/** The file with the stack traces, in the run's directory. */
	public static final String FAILURES = "failures.txt";

	private static final int TRIES = 3;

	/** Shows a run, on a page and in the terminal. */
	public interface ReportWriter {

		/** The report's name in a run's directory. */
		String NAME = "report.html";

		/**
		 * Writes a page.
		 * @param html the file, replaced if it exists
		 * @throws IOException if it cannot be written
		 */
		void write(RunResult run, Path html) throws IOException;

		/** The run for the terminal: empty, or ending with a line break. */
		String text(RunResult run);

	}

	@Mixin
	private ServicesOptions services = new ServicesOptions();

	@Option(names = "--out", paramLabel = "DIR", order = 91,
			description = "Directory for the results. Default: results/${COMMAND-NAME}-<time>.")
	private @Nullable Path out;

	@Option(names = "--json", order = 92,
			description = "Prints the result as JSON (run.json) and nothing else to standard output.")
	private boolean json;

	private RunDirectory directory;

	private Progress progress;

	private Interruption interruption;

	private Instant startedAt;

	private @Nullable Environment environment;

	/** Null until it is known what runs. */
	private @Nullable Infrastructure infrastructure;

	/** Refuses wrong usage, with {@link #usage}, before anything is made. */
	protected void check() {
	}

	/** Measures. Anything thrown makes the result partial. */
	protected abstract void measure() throws Exception;

	/**
	 * The finding so far; called again if it fails.
	 * @return null if nothing was found
	 */
	protected abstract @Nullable Finding finding() throws IOException;

	/** Its name in the result. */
	protected String name() {
		return spec().name();
	}

	/** Options with which a repetition makes the choices that were left to chance. */
	protected List<String> drawn() {
		return List.of();
	}

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
	 * Runs the experiment.
	 * @throws LabException if the run is partial or does not meet its requirements
	 */
	@Override
	public Integer call() {
		check();
		this.directory = RunDirectory.create(this.out, name().replaceAll("\\W+", "-"), Instant.now());
		this.progress = new Progress(System.err);
		Path html = this.directory.path().resolve(ReportWriter.NAME);
		try (Interruption stop = new Interruption()) {
			this.interruption = stop;
			RunResult result = run();
			report().write(result, html);
			if (this.json) {
				stdout().println(Files.readString(this.directory.path().resolve(RunFile.NAME)));
			}
			else {
				stdout().print(report().text(result));
				stdout().println("Report: " + html);
			}
			stdout().flush();
			String failure = (result.partial() != null)
					? "The run is partial: %s. Its data are in %s".formatted(result.partial(), this.directory.path())
					: failure(result);
			if (failure != null) {
				throw new LabException(failure);
			}
			return 0;
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The run cannot go on", ex);
		}
		catch (UncheckedIOException ex) {
			throw RunDirectory.failure("The run cannot go on", Objects.requireNonNull(ex.getCause()));
		}
	}

	/** Measures, and writes the result. */
	private RunResult run() throws IOException {
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
				RunResult result = result(finishedAt, partial, (tries < TRIES) ? finding() : null);
				RunFile.write(result, this.directory.path());
				return result;
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
		report().write(result(Instant.now(), "the run has not ended yet", finding()),
				this.directory.path().resolve(ReportWriter.NAME));
	}

	private RunResult result(Instant until, @Nullable String partial, @Nullable Finding finding) {
		if (this.environment == null) {
			this.environment = EnvironmentProbe.probe(Workspace.find().root(), infrastructure());
		}
		return new RunResult(RunResult.SCHEMA, name(), commandLine(), this.startedAt, until, partial, this.environment,
				configuration(), finding, checks());
	}

	/**
	 * Why a run that ended this way is partial. Clears the thread's interrupt, so that it
	 * can write what was measured.
	 */
	protected final String why(Throwable ending) {
		Thread.interrupted();
		String expected = RunDirectory.whyPartial(ending, this.interruption);
		if (expected != null) {
			return expected;
		}
		keepStackTrace(ending);
		return "%s (%s has the stack trace)".formatted(ending, FAILURES);
	}

	private void keepStackTrace(Throwable ending) {
		Path file = this.directory.path().resolve(FAILURES);
		try (PrintWriter trace = new PrintWriter(
				Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
			ending.printStackTrace(trace);
		}
		catch (IOException ex) {
			// The reason is in the result anyway.
			ending.addSuppressed(ex);
		}
	}

	/**
	 * The command line as the user wrote it and with what was drawn, with words that need
	 * it in single quotes.
	 */
	private String commandLine() {
		Stream<String> words = spec().commandLine()
			.getParseResult()
			.originalArgs()
			.stream()
			.filter((word) -> !word.equals(spec().name()));
		return Stream.of(Stream.of("lab", spec().name()), words, drawn().stream())
			.flatMap((part) -> part)
			.map((word) -> word.matches("[\\w@%+=:,./-]+") ? word : "'%s'".formatted(word.replace("'", "'\\''")))
			.collect(Collectors.joining(" "));
	}

	/** A stack with the run's infrastructure, its logs in the run's directory. */
	protected final Stack stack() throws IOException {
		return stack(StackOptions.DEFAULT);
	}

	protected final Stack stack(StackOptions options) throws IOException {
		Stack stack = new Stack(Workspace.find(), infrastructure(), this.directory.directory("logs"), options);
		this.infrastructure = stack.infrastructure().infrastructure();
		return stack;
	}

	/** How Kafka and PostgreSQL run; before the first stack, how they are to run. */
	protected final Infrastructure infrastructure() {
		return (this.infrastructure != null) ? this.infrastructure : this.services.infrastructure();
	}

	protected final RunDirectory directory() {
		return this.directory;
	}

	protected final Progress progress() {
		return this.progress;
	}

	protected final Interruption interruption() {
		return this.interruption;
	}

	private ReportWriter report() {
		return (ReportWriter) spec().root().userObject();
	}

	/** Where lines of the run go: standard output, unless that is to be JSON alone. */
	protected final PrintWriter out() {
		return this.json ? spec().commandLine().getErr() : stdout();
	}

	/** Evaluates a value; an {@link IllegalArgumentException} becomes wrong usage. */
	protected final <T extends @Nullable Object> T argument(Supplier<T> value) {
		try {
			return value.get();
		}
		catch (IllegalArgumentException ex) {
			throw usage(ex.getMessage());
		}
	}

}
