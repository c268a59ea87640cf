package dev.sluice.lab.proof;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProveResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import org.jspecify.annotations.Nullable;

/**
 * Runs proofs one after another, each on a fresh stack, so that none sees data of
 * another. If one breaks off, the others still run. The result is written after each.
 */
final class ProveExperiment extends Experiment {

	static final String NAME = "prove";

	private final Settings settings;

	private final List<Proof> proofs;

	private final List<ProofResult> results = new ArrayList<>();

	/**
	 * Settings other than the proofs.
	 *
	 * @param size how large each proof is
	 * @param seed seed for all random choices
	 * @param requests number of requests of proofs that generate them; 0 for the size's
	 * default
	 * @param source how the consumer reads orders
	 */
	record Settings(Length size, long seed, int requests, Source source) {
	}

	ProveExperiment(Run run, Infrastructure infrastructure, Settings settings, List<Proof> proofs) {
		super(NAME, run, infrastructure);
		this.settings = settings;
		this.proofs = List.copyOf(proofs);
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		Instant startedAt = Instant.now();
		for (Proof proof : this.proofs) {
			this.results.add(prove(proof));
			if (interruption().isRequested()) {
				throw new InterruptedException();
			}
			// Saves the results so far, in case the next proof fails.
			write(startedAt, Instant.now(), "not ended");
		}
	}

	private ProofResult prove(Proof proof) {
		progress().step("Proof '%s': %s".formatted(proof.name(), proof.question()));
		long start = System.nanoTime();
		Proof.Evidence evidence = new Proof.Evidence(Map.of(), List.of(), null);
		String problem = null;
		try (TestBed testBed = new TestBed(infrastructure(), directory(), proof.name(), progress(),
				this.settings.size(), this.settings.seed(), this.settings.requests(), this.settings.source())) {
			infrastructure(testBed.stack().infrastructure().infrastructure());
			testBed.stack().prepare(proof.modules(), progress()::step);
			evidence = proof.run(testBed);
		}
		catch (Throwable ex) {
			problem = why(ex);
		}
		progress().endLine();
		return new ProofResult(proof.name(), proof.question(), evidence.setting(), evidence.checks(),
				evidence.timeline(), Duration.ofNanos(System.nanoTime() - start).toMillis(), problem);
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return new ProveResult(this.results);
	}

	@Override
	protected String summary(RunResult result) {
		return VerdictText.of(this.results);
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		List<String> open = this.results.stream().filter((proof) -> !proof.holds()).map(ProofResult::proof).toList();
		return open.isEmpty() ? null : "Not proved: " + String.join(", ", open);
	}

	@Override
	protected Set<Module> modules() {
		return EnumSet.allOf(Module.class);
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("size", this.settings.size().toString());
		configuration.put("source", this.settings.source().toString());
		configuration.put("seed", Long.toString(this.settings.seed()));
		configuration.put("gateways", TestBed.GATEWAYS.toString());
		configuration.put("backend", "50 ms an order unless a proof says otherwise");
		configuration.put("services' JVM", String.join(" ", Stack.JVM_ARGS));
		configuration.put("queue", "Kafka, acks=all, one broker, 12 partitions");
		return configuration;
	}

}
