package dev.sluice.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls the command line, and keeps what it prints. */
public final class LabRun {

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	/** The names of the commands that run an experiment. */
	public static List<String> experiments() {
		return Lab.commandLine()
			.getSubcommands()
			.entrySet()
			.stream()
			.filter((each) -> each.getValue().getCommand() instanceof Experiment)
			.map(Map.Entry::getKey)
			.toList();
	}

	/** Executes words; returns the exit code. */
	public int execute(String... words) {
		return Lab.commandLine()
			.setOut(new PrintWriter(this.out, true))
			.setErr(new PrintWriter(this.err, true))
			.execute(words);
	}

	/**
	 * Runs an experiment, which must succeed and leave a report.
	 * @param command words separated by spaces
	 */
	public RunResult run(Path results, String command) throws IOException {
		int exit = execute("%s --infra %s --out %s".formatted(command, Infrastructure.fromEnvironment().name(), results)
			.split(" "));

		assertThat(exit).as(() -> this.out + "" + this.err).isZero();
		assertThat(results.resolve("report.html")).isNotEmptyFile();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
		return run;
	}

	public String out() {
		return this.out.toString();
	}

	public String err() {
		return this.err.toString();
	}

}
