package dev.sluice.lab.bundle;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.bundle.Bundle;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * {@code lab rerun}: runs the command of a run again, with the same plan and seed, and
 * compares the two runs. Exit code 1 if a verdict differs.
 * <p>
 * The command comes from a file that somebody else wrote. Only experiments are run, into
 * a directory that this command chooses; one that reads files or loads another system
 * needs {@code --trust}.
 */
@Command(name = "rerun", mixinStandardHelpOptions = true,
		description = "Repeats a run from its bundle or directory: the same command, plan and seed. Says what differs and"
				+ " shows the verdicts of both runs.")
public final class RerunCommand implements Callable<Integer> {

	/** Labels of parameters that name a local file or another system. */
	private static final Pattern OUTSIDE = Pattern.compile("FILE|URI|URL|DIR");

	private static final List<String> OF_THE_FIRST = List.of("--json", "--open");

	private static final String OUT = "--out";

	private static final String SCENARIO = "--scenario";

	private final Supplier<CommandLine> lab;

	@Parameters(paramLabel = "BUNDLE", description = "Bundle or directory of a run.")
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private Path run;

	@Option(names = "--with", paramLabel = "BUNDLE",
			description = "Compares with this run, a bundle or directory, instead of running again.")
	private @Nullable Path with;

	@Option(names = OUT, paramLabel = "DIR",
			description = "Directory for the results. Default: results/<experiment>-<time>.")
	private @Nullable Path out;

	@Option(names = "--trust", description = "Runs a command that reads files or loads another system, too.")
	private boolean trust;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	/**
	 * @param lab makes a command line with all experiments
	 */
	public RerunCommand(Supplier<CommandLine> lab) {
		this.lab = lab;
	}

	@Override
	public Integer call() {
		try (Opened first = Opened.of(this.run)) {
			TwoRuns runs = new TwoRuns(first.result(), second(first));
			this.spec.commandLine().getOut().print(runs.text());
			this.spec.commandLine().getOut().flush();
			return runs.agree() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
		}
		catch (IOException ex) {
			throw new LabException(String.valueOf(ex.getMessage()), ex);
		}
	}

	private RunResult second(Opened first) throws IOException {
		if (this.with == null) {
			return repeat(first);
		}
		try (Opened second = Opened.of(this.with)) {
			return second.result();
		}
	}

	/**
	 * The directory of a run.
	 *
	 * @param scratch directory into which a bundle was unpacked, deleted on close; null
	 * if the run is a directory
	 */
	private record Opened(Path directory, @Nullable Path scratch) implements AutoCloseable {

		static Opened of(Path run) throws IOException {
			if (!Bundle.isBundle(run)) {
				return new Opened(run, null);
			}
			Path scratch = Files.createTempDirectory("lab-bundle");
			Path directory = scratch.resolve("run");
			try {
				Bundle.unpack(run, directory);
			}
			catch (IOException ex) {
				Bundle.delete(scratch);
				throw ex;
			}
			return new Opened(directory, scratch);
		}

		RunResult result() throws IOException {
			return RunFile.read(this.directory.resolve(RunFile.NAME));
		}

		@Override
		public void close() throws IOException {
			if (this.scratch != null) {
				Bundle.delete(this.scratch);
			}
		}

	}

	private RunResult repeat(Opened run) throws IOException {
		RunResult first = run.result();
		CommandLine again = this.lab.get();
		PrintWriter console = this.spec.commandLine().getOut();
		again.setOut(console).setErr(this.spec.commandLine().getErr());
		List<String> words = words(again, first);
		RunDirectory directory = RunDirectory.create(this.out, first.experiment(), Instant.now());
		useKeptScenario(words, run, directory);
		words.add(OUT);
		words.add(directory.path().toString());
		console.println("Running: " + first.command());
		console.flush();
		int exit = again.execute(words.toArray(String[]::new));
		if (!Files.exists(directory.path().resolve(RunFile.NAME))) {
			throw new LabException("'%s' left no result (exit code %d)".formatted(first.command(), exit));
		}
		console.println();
		return RunFile.read(directory.path().resolve(RunFile.NAME));
	}

	/**
	 * Uses the scenario kept with the run: the file that the command names is on another
	 * machine or has changed.
	 */
	private static void useKeptScenario(List<String> words, Opened run, RunDirectory directory) throws IOException {
		for (int i = 0; i < words.size(); i++) {
			boolean apart = words.get(i).equals(SCENARIO) && i + 1 < words.size();
			if (apart || words.get(i).startsWith(SCENARIO + "=")) {
				String file = apart ? words.get(i + 1) : words.get(i).substring(SCENARIO.length() + 1);
				Path kept = RunDirectory.scenario(run.directory(), Path.of(file));
				if (Files.isRegularFile(kept)) {
					words.set(apart ? i + 1 : i, (apart ? "" : SCENARIO + "=") + directory.keepScenario(kept));
				}
			}
		}
	}

	/**
	 * The command's words without {@code lab} and the options that concern only the first
	 * run.
	 */
	private List<String> words(CommandLine again, RunResult first) {
		List<String> words;
		ParseResult parsed;
		try {
			words = new ArrayList<>(Words.of(first.command()));
			if (words.size() < 2 || !words.removeFirst().equals("lab")) {
				throw new IllegalArgumentException("it does not begin with lab and an experiment");
			}
			words.removeAll(OF_THE_FIRST);
			withoutOut(words);
			parsed = again.parseArgs(words.toArray(String[]::new));
		}
		catch (ParameterException | IllegalArgumentException ex) {
			throw new LabException(
					"The run's command '%s' is not one of this lab: %s".formatted(first.command(), ex.getMessage()),
					ex);
		}
		ParseResult experiment = parsed.subcommand();
		if (experiment == null || !(experiment.commandSpec().userObject() instanceof ExperimentCommand)) {
			throw new LabException("The run's command '%s' is not an experiment".formatted(first.command()));
		}
		if (!this.trust) {
			outside(experiment).ifPresent((option) -> {
				throw new LabException(
						"The run's command '%s' has %s, which reads a file or loads another system: look at it, and add --trust"
							.formatted(first.command(), option));
			});
		}
		return words;
	}

	private static void withoutOut(List<String> words) {
		for (int i = 0; i < words.size(); i++) {
			if (words.get(i).equals(OUT)) {
				words.subList(i, Math.min(i + 2, words.size())).clear();
				i--;
			}
			else if (words.get(i).startsWith(OUT + "=")) {
				words.remove(i);
				i--;
			}
		}
	}

	private static Optional<String> outside(ParseResult experiment) {
		return experiment.matchedOptions()
			.stream()
			.filter((option) -> OUTSIDE.matcher(option.paramLabel()).find())
			.map((option) -> option.longestName())
			.findFirst();
	}

}
