package dev.sluice.lab.kit.result;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One run of one experiment.
 *
 * @param schema the version of this record: {@value #SCHEMA}; another is refused
 * @param experiment its command, such as {@code compare}
 * @param command the command line, to be repeated
 * @param startedAt when it began
 * @param finishedAt when it ended, whole or not
 * @param partial why it is not whole (interrupted, no disk space, a service died); null
 * if it is whole
 * @param environment the machine and the software
 * @param configuration what was set, for the experiment and for each service: name to
 * value with its unit
 * @param cells what was measured, in the order it was run
 * @param leftOut what was planned or could be expected but was not run, and why
 * @param chaos what {@code lab chaos} found; null in every other experiment
 * @param proofs what {@code lab prove} found; empty in every other experiment
 * @param finding what an experiment with a form of its own found; null in the others
 * @param checks what the run was held against itself by; empty if it has no such check
 */
public record RunResult(int schema, String experiment, String command, Instant startedAt, Instant finishedAt,
		@Nullable String partial, Environment environment, Map<String, String> configuration, List<CellResult> cells,
		List<LeftOut> leftOut, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ChaosResult chaos,
		@JsonInclude(JsonInclude.Include.NON_EMPTY) List<ProofResult> proofs,
		@JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Finding finding,
		@JsonInclude(JsonInclude.Include.NON_EMPTY) List<Check> checks) {

	public static final int SCHEMA = 1;

	public RunResult {
		Objects.requireNonNull(experiment, "experiment");
		Objects.requireNonNull(command, "command");
		Objects.requireNonNull(startedAt, "startedAt");
		Objects.requireNonNull(finishedAt, "finishedAt");
		Objects.requireNonNull(environment, "environment");
		configuration = Map.copyOf(configuration);
		cells = List.copyOf(cells);
		leftOut = List.copyOf(leftOut);
		// Older runs have none.
		proofs = List.copyOf(Objects.requireNonNullElse(proofs, List.of()));
		checks = List.copyOf(Objects.requireNonNullElse(checks, List.of()));
	}

	/** Of an experiment without a finding of its own form. */
	public RunResult(int schema, String experiment, String command, Instant startedAt, Instant finishedAt,
			@Nullable String partial, Environment environment, Map<String, String> configuration,
			List<CellResult> cells, List<LeftOut> leftOut, @Nullable ChaosResult chaos, List<ProofResult> proofs) {
		this(schema, experiment, command, startedAt, finishedAt, partial, environment, configuration, cells, leftOut,
				chaos, proofs, null, List.of());
	}

	/** Of an experiment that has nothing but its finding. */
	public static RunResult of(String experiment, String command, Instant startedAt, Instant finishedAt,
			@Nullable String partial, Environment environment, Map<String, String> configuration, Finding finding) {
		return new RunResult(SCHEMA, experiment, command, startedAt, finishedAt, partial, environment, configuration,
				List.of(), List.of(), null, List.of(), finding, List.of());
	}

	/** The same with what was found in it. */
	public RunResult withFinding(Finding found) {
		return new RunResult(this.schema, this.experiment, this.command, this.startedAt, this.finishedAt, this.partial,
				this.environment, this.configuration, this.cells, this.leftOut, this.chaos, this.proofs, found,
				this.checks);
	}

	/** The same, held against itself. */
	public RunResult withChecks(List<Check> all) {
		return new RunResult(this.schema, this.experiment, this.command, this.startedAt, this.finishedAt, this.partial,
				this.environment, this.configuration, this.cells, this.leftOut, this.chaos, this.proofs, this.finding,
				all);
	}

	/**
	 * Where it was measured.
	 *
	 * @param cores processors available
	 * @param memoryBytes physical memory
	 * @param cpu the processor's model name
	 * @param os name and version of system and kernel
	 * @param java the JDK's full version
	 * @param infrastructure {@code containers} or {@code embedded}: what Kafka and
	 * PostgreSQL ran as
	 * @param gitSha the commit, {@code unknown} outside a checkout
	 * @param gitDirty whether the work tree differed from it
	 * @param versions library to version
	 */
	public record Environment(int cores, long memoryBytes, String cpu, String os, String java, String infrastructure,
			String gitSha, boolean gitDirty, Map<String, String> versions) {

		public Environment {
			Objects.requireNonNull(cpu, "cpu");
			Objects.requireNonNull(os, "os");
			Objects.requireNonNull(java, "java");
			Objects.requireNonNull(infrastructure, "infrastructure");
			Objects.requireNonNull(gitSha, "gitSha");
			versions = Map.copyOf(versions);
		}

	}

	/**
	 * What must hold if the run's figures are to be believed.
	 *
	 * @param what in words
	 * @param holds whether it does
	 * @param detail the figures
	 */
	public record Check(String what, boolean holds, String detail) {
	}

	/**
	 * A cell that was not run.
	 *
	 * @param cell which
	 * @param why in words
	 */
	public record LeftOut(Cell cell, String why) {
	}

}
