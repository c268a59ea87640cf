package dev.sluice.lab.kit.run;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: help, an output, and a way to refuse wrong usage. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class LabCommand implements Callable<Integer> {

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	protected final CommandSpec spec() {
		return this.spec;
	}

	protected final PrintWriter stdout() {
		return this.spec.commandLine().getOut();
	}

	/** Prints a line at once. */
	protected final void say(String line) {
		stdout().println(line);
		stdout().flush();
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

	/** Refuses what the user wrote unless it holds. */
	protected final void require(boolean holds, String otherwise) {
		if (!holds) {
			throw usage(otherwise);
		}
	}

	protected final ParameterException usage(@Nullable String message) {
		return new ParameterException(this.spec.commandLine(), String.valueOf(message));
	}

}
