package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.compare.ComparePlan.Round;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.JfrRecording;
import dev.sluice.lab.kit.measure.ScrapedGauge;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Client;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.WarmUp;
import dev.sluice.lab.kit.result.Cell;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.JvmRecords;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every gateway, both modes, under a rising number of orders. Kafka, PostgreSQL and the
 * backend run throughout; in each round a gateway and a consumer are started anew, so
 * that each variant meets a consumer as warm as any other's, and only one gateway is
 * there at a time.
 */
final class CompareExperiment extends Experiment {

	static final String NAME = "compare";

	private static final String GATEWAY = "gateway";

	private static final String CONSUMER = "consumer";

	private static final String BACKEND = "backend";

	private static final List<String> MEASURED = List.of(GATEWAY, CONSUMER, BACKEND, "kafka", "postgresql",
			LoadRound.LOAD_GENERATOR);

	private final JvmRecords records;

	private final Settings settings;

	private final ComparePlan plan;

	private final @Nullable ScenarioRun scenario;

	private final JsonMapper json = JsonMapper.builder().build();

	private final List<CellResult> cells = new ArrayList<>();

	/**
	 * What is the same for all cells.
	 *
	 * @param backends that the plan's cells name
	 * @param load how orders are placed
	 * @param heap of each service, in the JVM's notation
	 * @param collector of each service, as the JVM's option
	 * @param deliveryConcurrency orders that the consumer delivers at once
	 * @param warmUpOrders of each mode, before each round
	 * @param warmUpBurst at once, after them
	 * @param deadlineMillis of a cell, in milliseconds
	 */
	record Settings(List<BackendModel> backends, OrderLoad load, String heap, String collector, int deliveryConcurrency,
			int warmUpOrders, int warmUpBurst, long deadlineMillis) {

		BackendModel backend(Cell cell) {
			return this.backends.stream()
				.filter((backend) -> backend.label().equals(cell.capacity()))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("No such backend: " + cell));
		}

	}

	/**
	 * How orders are placed.
	 *
	 * @param users at once, at most
	 * @param items of an order
	 * @param perSecond by the number of orders: how many are due a second by the clock,
	 * where they are
	 */
	record OrderLoad(int users, int items, Map<Integer, Double> perSecond) {

		/** As many orders in flight as the reference's client had at most. */
		static final OrderLoad USUAL = new OrderLoad(1_000, Client.USUAL.items(), Map.of());

		Client client(int orders) {
			return Client.USUAL.placing(this.perSecond.getOrDefault(orders, 0.0), this.items);
		}

	}

	/**
	 * An experiment.
	 * @param scenario that its cells are held against; null for a sweep
	 */
	CompareExperiment(Run run, Infrastructure infrastructure, Settings settings, ComparePlan plan,
			@Nullable ScenarioRun scenario) throws IOException {
		super(NAME, run, infrastructure);
		this.records = new JvmRecords(run.directory());
		this.settings = settings;
		this.plan = plan;
		this.scenario = scenario;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack(Stack.builder()
			.jvmArgs("-Xms" + this.settings.heap(), "-Xmx" + this.settings.heap(), "-XX:-UseG1GC",
					this.settings.collector()))) {
			stack.prepare(modules(), progress()::step);
			progress().step("Starting Kafka, PostgreSQL (%s) and the backend"
				.formatted(infrastructure().name().toLowerCase(Locale.ROOT)));
			Service[] backend = new Service[1];
			Stack.inParallel(
					List.of(stack::startInfrastructure, () -> backend[0] = stack.startBackend(ServiceOptions.NONE)));
			for (Round round : this.plan.rounds()) {
				run(round, stack, backend[0]);
			}
		}
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return new CompareResult(this.cells, leftOut(partial),
				(this.scenario != null) ? this.scenario.judge(this.cells) : null);
	}

	@Override
	protected List<Check> checks() {
		return List.of(this.records.check());
	}

	@Override
	protected String summary(RunResult result) {
		return ResultTable.of(result) + ScenarioRun.text(result);
	}

	@Override
	protected Set<Module> modules() {
		Stream<Module> gateways = this.plan.rounds().stream().map((round) -> Variant.of(round.variant()).module());
		return Stream.concat(Stream.of(Module.BACKEND, Module.CONSUMER), gateways).collect(Collectors.toSet());
	}

	private void run(Round round, Stack stack, Service backend) throws IOException, InterruptedException {
		progress().step("Round %s: %d cells".formatted(round.name(), round.cells().size()));
		LoadRound.Record record;
		Map<String, Service> services = new ConcurrentHashMap<>(Map.of(BACKEND, backend));
		ServiceOptions consumer = options(round, CONSUMER).withProperty("delivery.concurrency",
				this.settings.deliveryConcurrency());
		ServiceOptions gateway = options(round, GATEWAY);
		try {
			Stack.inParallel(List.of(() -> services.put(CONSUMER, stack.startConsumer(consumer)),
					() -> services.put(GATEWAY, stack.startGateway(Variant.of(round.variant()), gateway))));
			record = new LoadRound(directory(), round.name(), stack, services).run(this.json,
					loadPlan(round, Objects.requireNonNull(services.get(GATEWAY)), backend),
					(phase) -> show(round, phase));
		}
		finally {
			// They write their recordings when they end.
			Stream.of(GATEWAY, CONSUMER).map(services::get).filter(Objects::nonNull).forEach(Service::close);
		}
		record.conclude(() -> evaluate(round, record));
	}

	private ServiceOptions options(Round round, String service) {
		String name = round.name() + "-" + service;
		return this.records.recorded(name, ServiceOptions.NONE.withLog(name));
	}

	private LoadPlan loadPlan(Round round, Service gateway, Service backend) throws IOException {
		List<Phase> phases = new ArrayList<>(
				WarmUp.phases(modes(round), this.settings.warmUpOrders(), this.settings.warmUpBurst()));
		round.cells().stream().map(this::phase).forEach(phases::add);
		// Unique however often the same stack is used.
		String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + round.name();
		return new LoadPlan(token, gateway.uri(), backend.uri(), directory().directory("outcomes/" + round.name()),
				phases);
	}

	private static List<Mode> modes(Round round) {
		return Stream.of(Mode.values())
			.filter((mode) -> round.cells().stream().anyMatch((cell) -> cell.mode().equals(mode.label())))
			.toList();
	}

	private Phase phase(Cell cell) {
		BackendModel backend = this.settings.backend(cell);
		return new Phase(phaseName(cell), Mode.of(cell.mode()), cell.orders(), this.settings.load().users(),
				backend.behaviour(), this.settings.deadlineMillis(), true)
			.with(this.settings.load().client(cell.orders()))
			.with(backend.flap());
	}

	private static String phaseName(Cell cell) {
		return "%s %s %d".formatted(cell.mode(), cell.capacity(), cell.orders());
	}

	private void show(Round round, Phase phase) {
		int done = this.cells.size();
		for (Cell cell : round.cells()) {
			if (phaseName(cell).equals(phase.name())) {
				break;
			}
			done++;
		}
		int all = this.plan.rounds().stream().mapToInt((other) -> other.cells().size()).sum();
		progress().now("cell %d of %d: %s, %s".formatted(done + 1, all, round.name(), phase.name()));
	}

	private void evaluate(Round round, LoadRound.Record record) throws IOException {
		if (record.log() == null) {
			return;
		}
		Map<String, JfrRecording> recordings = new LinkedHashMap<>();
		Map<String, ScrapedGauge> pools = new LinkedHashMap<>();
		Path scrapes = directory().directory("scrapes/" + round.name());
		for (String service : List.of(GATEWAY, CONSUMER)) {
			this.records.read(round.name() + "-" + service)
				.ifPresent((recording) -> recordings.put(service, recording));
			pools.put(service,
					ScrapedGauge.read(scrapes.resolve(service + ".prom.gz"), ScrapedGauge.POOLED_CONNECTIONS));
		}
		CellEvaluation evaluation = new CellEvaluation(record.log(), record.samples(), recordings, pools, MEASURED,
				GATEWAY, Runtime.getRuntime().availableProcessors());
		for (Cell cell : round.cells()) {
			record.outcome(phaseName(cell)).ifPresent((outcome) -> this.cells.add(evaluation.evaluate(cell, outcome)));
		}
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("orders in flight", "at most %,d".formatted(this.settings.load().users()));
		configuration.put("tries", "again until accepted, within the cell's deadline, after 0.1 s to 1.6 s");
		configuration.put("cell deadline", "%d s".formatted(this.settings.deadlineMillis() / 1_000));
		configuration.put("warm-up", "%,d orders each mode, then %,d at once, before each round"
			.formatted(this.settings.warmUpOrders(), this.settings.warmUpBurst()));
		this.settings.backends()
			.forEach((backend) -> configuration.put("backend " + backend.label(), backend.description()));
		configuration.put("items of an order", Integer.toString(this.settings.load().items()));
		this.settings.load()
			.perSecond()
			.forEach((orders, rate) -> configuration.put("N = %,d".formatted(orders),
					"%s orders a second by the clock".formatted(Figures.measured(rate))));
		configuration.put("services' JVM", "-Xms%1$s -Xmx%1$s %2$s; gateway and consumer recorded by JFR"
			.formatted(this.settings.heap(), this.settings.collector()));
		configuration.put("consumer delivery.concurrency", Integer.toString(this.settings.deliveryConcurrency()));
		if (infrastructure() != Infrastructure.EMBEDDED) {
			configuration.put("other processes' CPU", "includes Kafka and PostgreSQL, which run in containers");
		}
		configuration.put("queue", "Kafka, acks=all, one broker, 12 partitions");
		return configuration;
	}

	/** Left out by plan, and where the run ended early, what it did not come to. */
	private List<LeftOut> leftOut(@Nullable String partial) {
		List<LeftOut> leftOut = new ArrayList<>(this.plan.leftOut());
		if (partial != null) {
			List<Cell> measured = this.cells.stream().map(CellResult::cell).toList();
			this.plan.rounds()
				.stream()
				.flatMap((round) -> round.cells().stream())
				.filter((cell) -> !measured.contains(cell))
				.map((cell) -> new LeftOut(cell, "the run ended before"))
				.forEach(leftOut::add);
		}
		return leftOut;
	}

}
