package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.metrics.PrometheusScraper;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;

/**
 * One load generator's work from start to end, with everything that watches it. The
 * services must be running.
 *
 * @param directory the run's
 * @param name unique in the run; its files are named after it
 * @param stack the stack that the services belong to
 * @param services those under load, by their name in the results; one is the
 * {@value #BACKEND}
 */
public record LoadRound(RunDirectory directory, String name, Stack stack, Map<String, Service> services) {

	/** The backend's name in the services. */
	public static final String BACKEND = "backend";

	/** The load generator's name in the results. */
	public static final String LOAD_GENERATOR = CellEvaluation.LOAD_GENERATOR;

	/** This process's name in the results. */
	public static final String LAB = "lab";

	/** Time after the last phase: its cost needs a sample taken after its end. */
	private static final Duration LAST_SAMPLES = ProcessSampler.INTERVAL.multipliedBy(5);

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * The record of a round, complete or not.
	 *
	 * @param outcomes outcomes of the measured phases and warm-ups that ended
	 * @param ending why the round ended early, a {@link LabException} or an interrupt;
	 * null if it did not
	 */
	public record Record(List<PhaseOutcome> outcomes, ProcessSamples samples, @Nullable Exception ending) {

		/** How a phase ended; empty if it did not. */
		public Optional<PhaseOutcome> outcome(String phase) {
			return this.outcomes.stream().filter((outcome) -> outcome.name().equals(phase)).findFirst();
		}

		/**
		 * Evaluates the record, and then fails if the round failed.
		 * @param evaluation turns the record into results
		 * @throws LabException if the round failed, also if there is nothing to evaluate
		 * @throws IOException if the round succeeded, but cannot be evaluated
		 * @throws InterruptedException if the round was interrupted
		 */
		public void conclude(Evaluation evaluation) throws IOException, InterruptedException {
			try {
				evaluation.evaluate();
			}
			catch (IOException | RuntimeException ex) {
				if (this.ending == null) {
					throw ex;
				}
				this.ending.addSuppressed(ex);
			}
			switch (this.ending) {
				case InterruptedException interrupt -> throw interrupt;
				case RuntimeException failure -> throw failure;
				case null, default -> {
					// Complete.
				}
			}
		}

	}

	/** Turns the record of a round into results. */
	@FunctionalInterface
	public interface Evaluation {

		void evaluate() throws IOException;

	}

	/** Receives what happens in a round. */
	public interface Watcher {

		/** A measured phase or a warm-up begins. */
		void running(Phase phase);

		/** A window of a warm-up has ended, the last of these. */
		void warming(Settling rule, List<WarmUpWindow> windows);

		/**
		 * A measured phase or a warm-up has ended, and its files are written.
		 * @param samples of the processes until now
		 */
		void ended(PhaseOutcome outcome, ProcessSamples samples);

	}

	/**
	 * Runs the phases. A failure on the way is not thrown but recorded, with all that was
	 * measured until then.
	 * @param watcher receives each measured phase and each warm-up, when it begins
	 * @throws IOException if files cannot be written or read
	 */
	public Record run(List<Phase> phases, Watcher watcher) throws IOException {
		Map<String, URI> endpoints = new LinkedHashMap<>();
		Map<String, ProcessGroup> groups = new LinkedHashMap<>();
		this.services.forEach((service, running) -> {
			endpoints.put(service, running.metrics());
			groups.put(service, ProcessGroup.of(running.pid()));
		});
		groups.putAll(ProcessGroup.ofInfrastructure(this.stack.infrastructure()));
		List<Long> system = groups.values().stream().flatMap((group) -> group.pids().stream()).toList();
		Path outcomes = this.directory.directory("outcomes/" + this.name);
		Path log = this.directory.directory("logs").resolve(this.name + "-load-generator.log");
		List<PhaseOutcome> ended = new ArrayList<>();
		ProcessSamples samples = ProcessSamples.NONE;
		Exception ending = null;
		try (PrometheusScraper _ = new PrometheusScraper(endpoints, this.directory.directory("scrapes/" + this.name));
				HttpClient client = Http.client(CONNECT_TIMEOUT);
				GeneratorProcess generator = GeneratorProcess.start(log)) {
			groups.put(LAB, ProcessGroup.of(ProcessHandle.current().pid()));
			groups.put(LOAD_GENERATOR, ProcessGroup.of(generator.pid()));
			try (ProcessSampler sampler = new ProcessSampler(groups,
					this.directory.directory("samples").resolve(this.name + ".csv"))) {
				String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + this.name;
				PhaseRunner runner = new PhaseRunner(
						new BackendControl(client, Objects.requireNonNull(this.services.get(BACKEND)).uri()), generator,
						system, outcomes, token, () -> Stack.checkAlive(this.services.values()), watcher::warming);
				try {
					for (Phase phase : phases) {
						if (phase.hasOutcome()) {
							watcher.running(phase);
						}
						PhaseOutcome outcome = runner.run(phase);
						if (phase.hasOutcome()) {
							ended.add(outcome);
							watcher.ended(outcome, sampler.samples());
						}
					}
					Thread.sleep(LAST_SAMPLES);
				}
				finally {
					samples = sampler.samples();
				}
			}
		}
		catch (LabException | InterruptedException ex) {
			ending = ex;
		}
		return new Record(ended, samples, ending);
	}

}
