package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.metrics.PrometheusScraper;
import dev.sluice.lab.kit.metrics.Scrapes;
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

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

	/** What is done in a round. */
	@FunctionalInterface
	public interface Recipe {

		void follow(Load load) throws IOException, InterruptedException;

	}

	/** The load generator, and what was recorded until now. */
	public static final class Load {

		private final PhaseRunner runner;

		private final ProcessSampler sampler;

		private final PrometheusScraper scraper;

		private Load(PhaseRunner runner, ProcessSampler sampler, PrometheusScraper scraper) {
			this.runner = runner;
			this.sampler = sampler;
			this.scraper = scraper;
		}

		/**
		 * Runs a phase.
		 * @return how it ended; the files of a measured one are written
		 * @throws LabException if it cannot be run to its end
		 */
		public PhaseOutcome run(Phase phase) throws IOException, InterruptedException {
			return this.runner.run(phase);
		}

		public ProcessSamples samples() {
			return this.sampler.samples();
		}

		/** The services' metrics since the last call, by service. */
		public Map<String, Scrapes> scrapes() {
			return this.scraper.scrapes();
		}

	}

	/**
	 * Starts the load generator, follows a recipe, and ends it.
	 * @param warming receives the windows of a warm-up after each of them
	 * @throws IOException if files cannot be written or read
	 */
	public void run(BiConsumer<Settling, List<WarmUpWindow>> warming, Recipe recipe)
			throws IOException, InterruptedException {
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
		try (PrometheusScraper scraper = new PrometheusScraper(endpoints,
				this.directory.directory("scrapes/" + this.name), CellEvaluation.metrics()::contains);
				HttpClient client = Http.client(CONNECT_TIMEOUT);
				GeneratorProcess generator = GeneratorProcess.start(log)) {
			groups.put(LAB, ProcessGroup.of(ProcessHandle.current().pid()));
			groups.put(LOAD_GENERATOR, ProcessGroup.of(generator.pid()));
			try (ProcessSampler sampler = new ProcessSampler(groups,
					this.directory.directory("samples").resolve(this.name + ".csv"))) {
				String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + this.name;
				PhaseRunner runner = new PhaseRunner(
						new BackendControl(client, Objects.requireNonNull(this.services.get(BACKEND)).uri()), generator,
						system, outcomes, token, () -> Stack.checkAlive(this.services.values()), warming);
				recipe.follow(new Load(runner, sampler, scraper));
			}
		}
	}

}
