package dev.sluice.lab.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.Measurement;
import dev.sluice.lab.kit.run.Measurement.Course;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Workspace;

/**
 * Puts proofs to the test one after another, each on a stack of its own, so that none
 * finds what another has left. One that breaks off does not keep the others from it. The
 * result is written after each.
 */
final class Prove {

	static final String NAME = "prove";

	private final Settings settings;

	private final List<Proof> proofs;

	private final RunDirectory directory;

	private final Progress progress;

	private final List<ProofResult> results = new ArrayList<>();

	private Infrastructure infrastructure;

	/**
	 * What is chosen beside the proofs.
	 *
	 * @param command the command line
	 * @param infrastructure what Kafka and PostgreSQL run as
	 * @param size how much of each proof is asked for
	 * @param seed of whatever is drawn
	 * @param requests how many of them, where a proof sends generated ones alike; 0 for
	 * what belongs to the size
	 */
	record Settings(String command, Infrastructure infrastructure, Bench.Size size, long seed, int requests) {
	}

	Prove(Settings settings, List<Proof> proofs, RunDirectory directory, Progress progress) {
		this.settings = settings;
		this.proofs = List.copyOf(proofs);
		this.directory = directory;
		this.progress = progress;
		this.infrastructure = settings.infrastructure();
	}

	/**
	 * Runs them.
	 * @throws IOException if the result cannot be written
	 */
	RunResult run(Interruption interruption) throws IOException {
		Measurement measurement = new Measurement(NAME, this.settings.command(), this.directory, this.progress,
				interruption);
		return measurement.run(() -> {
			Instant startedAt = Instant.now();
			for (Proof proof : this.proofs) {
				this.results.add(prove(proof, measurement));
				if (interruption.isRequested()) {
					throw new InterruptedException();
				}
				// What is proved by now, whatever comes of the next.
				RunFile.write(result(new Course(startedAt, Instant.now(), "not ended")), this.directory.path());
			}
		}, this::result);
	}

	private ProofResult prove(Proof proof, Measurement measurement) {
		this.progress.step("Proof '%s': %s".formatted(proof.name(), proof.question()));
		long start = System.nanoTime();
		Proof.Evidence evidence = new Proof.Evidence(Map.of(), List.of(), null);
		String problem = null;
		try (Bench bench = new Bench(this.settings.infrastructure(), this.directory, proof.name(), this.progress,
				this.settings.size(), this.settings.seed(), this.settings.requests())) {
			this.infrastructure = bench.stack().infrastructure().infrastructure();
			bench.stack().prepare(proof.modules(), this.progress::step);
			evidence = proof.run(bench);
		}
		catch (Throwable ex) {
			problem = measurement.why(ex);
		}
		this.progress.endLine();
		return new ProofResult(proof.name(), proof.question(), evidence.setting(), evidence.checks(),
				evidence.timeline(), Duration.ofNanos(System.nanoTime() - start).toMillis(), problem);
	}

	private RunResult result(Course course) throws IOException {
		Workspace workspace = Workspace.find();
		List<Path> jars = Stream.of(Module.values()).map(workspace::jar).filter(Files::exists).toList();
		return new RunResult(RunResult.SCHEMA, NAME, this.settings.command(), course.startedAt(), course.finishedAt(),
				course.partial(), EnvironmentProbe.probe(workspace.root(), jars, this.infrastructure), configuration(),
				List.of(), List.of(), null, this.results);
	}

	private Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("size", this.settings.size().toString());
		configuration.put("seed", Long.toString(this.settings.seed()));
		configuration.put("gateways", Bench.GATEWAYS.toString());
		configuration.put("backend", "50 ms an order unless a proof says otherwise");
		configuration.put("services' JVM", String.join(" ", Stack.JVM_ARGS));
		configuration.put("queue", "Kafka, acks=all, one broker, 12 partitions");
		return configuration;
	}

}
