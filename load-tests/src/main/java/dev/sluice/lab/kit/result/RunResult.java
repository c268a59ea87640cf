package dev.sluice.lab.kit.result;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.cell.CellResult;
import org.jspecify.annotations.Nullable;

/**
 * One run of one experiment.
 *
 * @param schema version of this format, {@value #SCHEMA}
 * @param experiment its command, such as {@code compare}
 * @param command command that repeats the run
 * @param startedAt its start
 * @param finishedAt its end, complete or not
 * @param partial why it is incomplete
 * @param environment machine and software
 * @param configuration settings of the experiment and the services
 * @param finding the result
 * @param checks checks of the run's own data
 */
public record RunResult(int schema, String experiment, String command, Instant startedAt, Instant finishedAt,
		@Nullable String partial, Environment environment, Map<String, String> configuration, @Nullable Finding finding,
		List<Check> checks) {

	public static final int SCHEMA = 3;

	public RunResult {
		Objects.requireNonNull(experiment, "experiment");
		Objects.requireNonNull(command, "command");
		Objects.requireNonNull(startedAt, "startedAt");
		Objects.requireNonNull(finishedAt, "finishedAt");
		Objects.requireNonNull(environment, "environment");
		configuration = Map.copyOf(configuration);
		checks = List.copyOf(checks);
	}

	/**
	 * The measured cells, in the order they were run; empty for an experiment without
	 * cells.
	 */
	public List<CellResult> cells() {
		return (this.finding instanceof CompareResult compare) ? compare.cells() : List.of();
	}

	/**
	 * The environment of a run.
	 *
	 * @param cores processors
	 * @param memoryBytes physical memory
	 * @param cpu processor's model
	 * @param os system and kernel
	 * @param java JDK's version
	 * @param infrastructure {@code containers} or {@code embedded}
	 * @param gitSha commit, or {@code unknown}
	 * @param gitDirty whether the work tree differed from it
	 */
	public record Environment(int cores, long memoryBytes, String cpu, String os, String java, String infrastructure,
			String gitSha, boolean gitDirty) {

		public Environment {
			Objects.requireNonNull(cpu, "cpu");
			Objects.requireNonNull(os, "os");
			Objects.requireNonNull(java, "java");
			Objects.requireNonNull(infrastructure, "infrastructure");
			Objects.requireNonNull(gitSha, "gitSha");
		}

	}

	/**
	 * A condition for the run's figures to be reliable.
	 *
	 * @param what in words
	 * @param holds whether it does
	 * @param detail the figures
	 */
	public record Check(String what, boolean holds, String detail) {
	}

}
