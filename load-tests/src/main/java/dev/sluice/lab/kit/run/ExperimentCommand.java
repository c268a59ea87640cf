package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that runs an experiment: it creates the run's directory, runs the experiment,
 * and has its root command, a {@link ReportWriter}, show the result. Exit code 0 if the
 * run is complete and the experiment met its requirements, 1 if not, 2 for wrong usage.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class ExperimentCommand implements Callable<Integer> {

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Mixin
	private PatienceOption patience = new PatienceOption();

	@Option(names = "--out", paramLabel = "DIR", order = 91,
			description = "Directory for the results. Default: results/${COMMAND-NAME}-<time>.")
	private @Nullable Path out;

	@Option(names = "--json", order = 92,
			description = "Prints the result as JSON (run.json) and nothing else to standard output.")
	private boolean json;

	/** Makes an experiment. */
	@FunctionalInterface
	public interface Factory {

		Experiment create(Run run) throws IOException;

	}

	/**
	 * Runs an experiment.
	 * @param name for the directory of a run without {@code --out}
	 * @param command the command line for the report
	 * @return the exit code 0
	 * @throws LabException if the run is partial or does not meet its requirements
	 */
	protected final int run(String name, String command, Factory factory) {
		RunDirectory directory = RunDirectory.create(this.out, name, Instant.now());
		Path html = directory.path().resolve(ReportWriter.NAME);
		ReportWriter report = (ReportWriter) this.spec.root().userObject();
		try (Interruption interruption = new Interruption()) {
			Experiment experiment = factory.create(new Run(command, directory, new Progress(System.err),
					this.json ? this.spec.commandLine().getErr() : stdout(), interruption, report));
			RunResult result = experiment.run();
			report.write(result, html);
			if (this.json) {
				stdout().println(Files.readString(directory.path().resolve(RunFile.NAME)));
			}
			else {
				stdout().print(report.text(result));
				stdout().println("Report: " + html);
			}
			stdout().flush();
			String failure = (result.partial() != null)
					? "The run is partial: %s. Its data are in %s".formatted(result.partial(), directory.path())
					: experiment.failure(result);
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

	/**
	 * The command line as the user wrote it, with words that need it in single quotes.
	 * @param more words to add, so that a repetition makes the same random choices
	 */
	protected final String commandLine(String... more) {
		Stream<String> words = this.spec.commandLine()
			.getParseResult()
			.originalArgs()
			.stream()
			.filter((word) -> !word.equals(this.spec.name()));
		return Stream.of(Stream.of("lab", this.spec.name()), words, Stream.of(more))
			.flatMap((part) -> part)
			.map(ExperimentCommand::quoted)
			.collect(Collectors.joining(" "));
	}

	private static String quoted(String word) {
		return word.matches("[\\w@%+=:,./-]+") ? word : "'%s'".formatted(word.replace("'", "'\\''"));
	}

	protected final PrintWriter stdout() {
		return this.spec.commandLine().getOut();
	}

	protected final boolean has(String option) {
		return this.spec.commandLine().getParseResult().hasMatchedOption(option);
	}

	/** Refuses the first of the options that is given. */
	protected final void refuse(String why, String... options) {
		Stream.of(options).filter(this::has).findFirst().ifPresent((option) -> {
			throw usage("%s: leave out %s".formatted(why, option));
		});
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

	protected final ParameterException usage(@Nullable String message) {
		return new ParameterException(this.spec.commandLine(), String.valueOf(message));
	}

}
