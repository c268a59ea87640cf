package dev.sluice.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.devservices.StartFailedException;
import dev.sluice.lab.chaos.ChaosExperiment;
import dev.sluice.lab.client.ClientExperiment;
import dev.sluice.lab.compare.CompareExperiment;
import dev.sluice.lab.compare.GridExperiment;
import dev.sluice.lab.drain.DrainExperiment;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment.ReportWriter;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.knee.KneeExperiment;
import dev.sluice.lab.pool.PoolExperiment;
import dev.sluice.lab.sink.SinkExperiment;
import dev.sluice.lab.surge.SurgeExperiment;
import dev.sluice.lab.watch.WatchCommand;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line, and what shows the runs of its subcommands. Each of these is a class
 * of its own and does not depend on this one.
 */
@Command(name = "lab", mixinStandardHelpOptions = true, version = "Sluice's laboratory 0.1.0",
		description = "Runs Sluice on this machine and measures it.",
		subcommands = { CompareExperiment.class, ChaosExperiment.class, DrainExperiment.class, ClientExperiment.class,
				GridExperiment.class, KneeExperiment.class, PoolExperiment.class, SinkExperiment.class,
				SurgeExperiment.class, Report.class, Up.class, WatchCommand.class, PlaceOrder.class, Redeliver.class,
				Doctor.class, HelpCommand.class, GenerateCompletion.class },
		footer = { "", "Exit code: 0 done, 1 failed, 2 wrong usage." })
public final class Lab implements ReportWriter {

	@Option(names = "--verbose", scope = CommandLine.ScopeType.INHERIT,
			description = "Shows where an error comes from.")
	private boolean verbose;

	public static void main(String[] args) {
		if (System.getProperty("logback.configurationFile") == null) {
			System.setProperty("logback.configurationFile", "lab-logback.xml");
		}
		System.exit(commandLine().execute(args));
	}

	public static CommandLine commandLine() {
		Lab lab = new Lab();
		return new CommandLine(lab).registerConverter(Variant.class, byName(Variant.values()))
			.registerConverter(Mode.class, byName(Mode.values()))
			.setCaseInsensitiveEnumValuesAllowed(true)
			.setUsageHelpAutoWidth(true)
			.setParameterExceptionHandler(Lab::refuse)
			.setExecutionExceptionHandler(lab::report);
	}

	@Override
	public void write(RunResult run, Path html) throws IOException {
		Report.write(run, html);
	}

	@Override
	public String text(RunResult run) {
		return Report.text(run);
	}

	/** Reads a value by what it prints, which is its name in the documents. */
	private static <E extends Enum<E>> ITypeConverter<E> byName(E[] values) {
		return (text) -> Stream.of(values)
			.filter((value) -> value.toString().equalsIgnoreCase(text))
			.findFirst()
			.orElseThrow(() -> new TypeConversionException("'%s' is none of %s".formatted(text,
					Stream.of(values).map(Object::toString).collect(Collectors.joining(", ")))));
	}

	/** Prints the usage error in one line, and how to get help. */
	private static int refuse(ParameterException exception, String[] args) {
		CommandLine command = exception.getCommandLine();
		PrintWriter err = command.getErr();
		List<String> suggestions = (exception instanceof UnmatchedArgumentException unmatched)
				? unmatched.getSuggestions() : List.of();
		err.println("lab: " + String.valueOf(exception.getMessage()).lines().collect(Collectors.joining(" "))
				+ (suggestions.isEmpty() ? "" : "; did you mean %s?".formatted(String.join(" or ", suggestions))));
		err.println("Try './%s --help'".formatted(command.getCommandSpec().qualifiedName()));
		err.flush();
		return CommandLine.ExitCode.USAGE;
	}

	/** Prints one line for an expected failure and the stack trace for a bug. */
	private int report(Exception exception, CommandLine command, ParseResult parsed) {
		PrintWriter err = command.getErr();
		boolean expected = exception instanceof LabException || exception instanceof StartFailedException;
		err.println("lab: " + (expected ? exception.getMessage() : exception));
		if (this.verbose) {
			exception.printStackTrace(err);
		}
		else if (!expected) {
			err.println("lab: this should not happen; --verbose shows where it comes from");
		}
		err.flush();
		return CommandLine.ExitCode.SOFTWARE;
	}

}
