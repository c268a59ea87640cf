package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.measure.GatlingLog.Tail;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.metrics.PrometheusScraper;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One load generator's work from start to end, with everything that watches it. All
 * experiments with load have this in common. The services must be running.
 *
 * @param directory the run's
 * @param name unique in the run; its files are named after it
 * @param stack the stack that the services belong to
 * @param services those under load, by their name in the results
 * @param pin the cores that the load generator has for itself; null for none
 */
public record LoadRound(RunDirectory directory, String name, Stack stack, Map<String, Service> services,
		@Nullable Pin pin) {

	/** A round whose load generator has no cores for itself. */
	public LoadRound(RunDirectory directory, String name, Stack stack, Map<String, Service> services) {
		this(directory, name, stack, services, null);
	}

	/** The load generator's name in the results. */
	public static final String LOAD_GENERATOR = CellEvaluation.LOAD_GENERATOR;

	/** This process's name in the results. */
	public static final String LAB = "lab";

	private static final long POLL_MILLIS = 500;

	/**
	 * The record of a round, complete or not.
	 *
	 * @param outcomes outcomes of the phases whose calls are all in the log
	 * @param logFile Gatling's log; null if it has written none
	 */
	public record Record(List<PhaseOutcome> outcomes, @Nullable Path logFile, ProcessSamples samples,
			@Nullable LabException failure, boolean interrupted) {

		/** How a phase ended; empty if it did not. */
		public Optional<PhaseOutcome> outcome(String phase) {
			return this.outcomes.stream().filter((outcome) -> outcome.name().equals(phase)).findFirst();
		}

		/**
		 * Every call, read from the file each time; null if no log was written.
		 * @throws IOException if the log cannot be read
		 */
		public @Nullable GatlingLog log() throws IOException {
			if (this.logFile == null) {
				return null;
			}
			return GatlingLog.read(this.logFile, isWhole() ? Tail.COMPLETE : Tail.MAY_BE_TRUNCATED);
		}

		private boolean isWhole() {
			return this.failure == null && !this.interrupted;
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
				if (this.failure == null) {
					throw ex;
				}
				this.failure.addSuppressed(ex);
			}
			if (this.interrupted) {
				throw new InterruptedException();
			}
			if (this.failure != null) {
				throw this.failure;
			}
		}

	}

	/** Turns the record of a round into results. */
	@FunctionalInterface
	public interface Evaluation {

		void evaluate() throws IOException;

	}

	/** Receives the running measured phase about twice a second. */
	@FunctionalInterface
	public interface Watcher {

		void running(Phase phase);

	}

	/**
	 * Runs the phases. A failure on the way is not thrown but recorded, with all that was
	 * measured until then.
	 * @throws IOException if files cannot be written or read
	 */
	public Record run(JsonMapper json, LoadPlan plan, Watcher watcher) throws IOException {
		Map<String, URI> endpoints = new LinkedHashMap<>();
		Map<String, ProcessGroup> groups = new LinkedHashMap<>();
		Map<String, Integer> ports = new LinkedHashMap<>();
		this.services.forEach((service, running) -> {
			endpoints.put(service, running.metrics());
			groups.put(service, ProcessGroup.of(running.pid()));
			ports.put(service, running.uri().getPort());
		});
		groups.putAll(ProcessGroup.ofInfrastructure(this.stack.infrastructure()));
		List<Long> system = groups.values().stream().flatMap((group) -> group.pids().stream()).toList();
		Path gatling = this.directory.directory("gatling/" + this.name);
		try (PrometheusScraper scraper = new PrometheusScraper(endpoints,
				this.directory.directory("scrapes/" + this.name));
				Injector injector = Injector.start(json, plan.awaiting(system), gatling,
						this.directory.directory("logs").resolve(this.name + "-load-generator.log"), this.pin)) {
			groups.put(LAB, ProcessGroup.of(ProcessHandle.current().pid()));
			groups.put(LOAD_GENERATOR, ProcessGroup.of(injector.pid()));
			try (ProcessSampler sampler = new ProcessSampler(groups, ports,
					this.directory.directory("samples").resolve(this.name + ".csv"))) {
				LabException failure = null;
				boolean interrupted = false;
				try {
					await(injector, watcher);
				}
				catch (LabException ex) {
					failure = ex;
				}
				catch (InterruptedException _) {
					interrupted = true;
				}
				injector.close();
				return record(injector, sampler.samples().with(scraper.failures()), failure, interrupted);
			}
		}
	}

	private static Record record(Injector injector, ProcessSamples samples, @Nullable LabException failure,
			boolean interrupted) throws IOException {
		if (failure == null && !interrupted) {
			return new Record(injector.outcomes(), injector.gatlingLog(), samples, null, false);
		}
		Path log = injector.findGatlingLog();
		if (log == null || Files.size(log) == 0) {
			return new Record(List.of(), null, samples, failure, interrupted);
		}
		return new Record(complete(injector.outcomes(), GatlingLog.read(log, Tail.MAY_BE_TRUNCATED)), log, samples,
				failure, interrupted);
	}

	/**
	 * Leaves out the phases whose last calls are missing in the log of a round that was
	 * cut off, because their figures would be wrong.
	 */
	static List<PhaseOutcome> complete(List<PhaseOutcome> outcomes, GatlingLog log) {
		return outcomes.stream()
			.filter((outcome) -> !outcome.windows().isEmpty() || log.requests()
				.stream()
				.filter((call) -> call.ok() && call.name().equals(outcome.name()))
				.count() >= outcome.accepted())
			.toList();
	}

	private void await(Injector injector, Watcher watcher) throws InterruptedException {
		while (!injector.await(POLL_MILLIS)) {
			injector.current().ifPresent(watcher::running);
			for (Service service : this.services.values()) {
				if (!service.isAlive()) {
					throw new LabException("%s died; its log %s ends with:%n%s".formatted(service.name(),
							service.logFile(), service.process().tail()));
				}
			}
		}
		if (injector.current().isPresent()) {
			throw new LabException("the load generator ended before '%s' did; its output ends with:%n%s"
				.formatted(injector.current().get().name(), injector.tail()));
		}
	}

}
