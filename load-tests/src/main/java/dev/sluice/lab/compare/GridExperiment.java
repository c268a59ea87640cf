package dev.sluice.lab.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.compare.GridPlan.Subject;
import dev.sluice.lab.compare.page.GridPage;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUp;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import org.jspecify.annotations.Nullable;

/**
 * Measures one gateway after another. All cells of a gateway, by delay and then by
 * requests in flight, run in one process of the load generator.
 */
final class GridExperiment extends Experiment {

	static final String NAME = "grid";

	private static final String GATEWAY = "gateway";

	private final int warmUpOrders;

	private final GridPlan plan;

	private final List<Cell> cells = new ArrayList<>();

	/**
	 * @param warmUpOrders orders placed before each gateway's cells
	 */
	GridExperiment(Run run, Infrastructure infrastructure, int warmUpOrders, GridPlan plan) {
		super(NAME, run, infrastructure);
		this.warmUpOrders = warmUpOrders;
		this.plan = plan;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack()) {
			stack.prepare(modules(), progress()::step);
			progress().step("Starting Kafka, PostgreSQL and the backend");
			Map<String, Service> services = new ConcurrentHashMap<>();
			Stack.inParallel(List.of(stack::startInfrastructure,
					() -> services.put(LoadRound.BACKEND, stack.startBackend(ServiceOptions.NONE))));
			for (Subject subject : this.plan.subjects()) {
				measure(subject, stack, services);
			}
		}
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return new GridResult(GridPlan.SMALL_POOL, this.cells);
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof GridResult grid) ? GridPage.text(grid) : "";
	}

	@Override
	protected Set<Module> modules() {
		return Stream
			.concat(Stream.of(Module.BACKEND),
					this.plan.subjects().stream().map((subject) -> subject.variant().module()))
			.collect(Collectors.toSet());
	}

	private void measure(Subject subject, Stack stack, Map<String, Service> services)
			throws IOException, InterruptedException {
		progress().step("%s: %s cells".formatted(subject.name(), this.plan.cells() / this.plan.subjects().size()));
		LoadRound.Record record;
		try (Service gateway = stack.startGateway(subject.variant(), subject.options())) {
			services.put(GATEWAY, gateway);
			record = new LoadRound(directory(), subject.name(), stack, services).run(phases(gateway),
					(phase) -> progress().now("%s, %s".formatted(subject.name(), phase.name())));
		}
		record.conclude(() -> evaluate(subject, record));
	}

	private List<Phase> phases(Service gateway) {
		int most = this.plan.concurrencies().stream().mapToInt(Integer::intValue).max().orElseThrow();
		List<Phase> phases = new ArrayList<>(WarmUp.phases(gateway.uri(), List.of(Mode.SYNC), this.warmUpOrders, most));
		for (long delay : this.plan.delays()) {
			for (int concurrency : this.plan.concurrencies()) {
				phases.add(new Phase(phaseName(delay, concurrency), new Target(gateway.uri(), Mode.SYNC),
						Extent.lasting(this.plan.cellMillis()), Client.of(concurrency),
						BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(delay)), this.plan.cellMillis()));
			}
		}
		return phases;
	}

	private static String phaseName(long delayMillis, int concurrency) {
		return "delay %s in flight %s".formatted(delayMillis, concurrency);
	}

	private void evaluate(Subject subject, LoadRound.Record record) throws IOException {
		GridEvaluation evaluation = new GridEvaluation(record.samples(), GATEWAY,
				Runtime.getRuntime().availableProcessors());
		for (long delay : this.plan.delays()) {
			for (int concurrency : this.plan.concurrencies()) {
				Optional<PhaseOutcome> outcome = record.outcome(phaseName(delay, concurrency));
				if (outcome.isPresent()) {
					this.cells.add(evaluation.evaluate(subject.name(), delay, concurrency, outcome.get(),
							record.calls(outcome.get())));
				}
			}
		}
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("load", "closed model: as many users as requests in flight, each waits for its answer");
		configuration.put("cell",
				"%s ms of new requests, until the last is answered".formatted(this.plan.cellMillis()));
		configuration.put("warm-up",
				"%s orders, then as many at once as the largest cell has in flight".formatted(this.warmUpOrders));
		configuration.put("servlet-platform-%s".formatted(GridPlan.SMALL_POOL),
				"server.tomcat.threads.max=%s".formatted(GridPlan.SMALL_POOL));
		configuration.put("servlet-platform", "the container's 200 threads");
		configuration.put("services' JVM", String.join(" ", StackOptions.JVM_ARGS));
		return configuration;
	}

}
