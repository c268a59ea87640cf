package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
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
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.JvmRecords;
import dev.sluice.lab.kit.run.Measurement;
import dev.sluice.lab.kit.run.Measurement.Course;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.stack.Workspace;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every gateway, both modes, under a rising number of orders. Kafka, PostgreSQL and the
 * backend run throughout; in each round a gateway and a consumer are started anew, so
 * that each variant meets a consumer as warm as any other's, and only one gateway is
 * there at a time.
 */
final class CompareExperiment {

	static final String NAME = "compare";

	private static final String GATEWAY = "gateway";

	private static final String CONSUMER = "consumer";

	private static final String BACKEND = "backend";

	private static final List<String> MEASURED = List.of(GATEWAY, CONSUMER, BACKEND, "kafka", "postgresql",
			LoadRound.LOAD_GENERATOR);

	private final Settings settings;

	/** What was asked for, until it is known what runs. */
	private Infrastructure infrastructure;

	private final ComparePlan plan;

	private final RunDirectory directory;

	private final Progress progress;

	private final JsonMapper json = JsonMapper.builder().build();

	private final List<CellResult> cells = new ArrayList<>();

	/**
	 * What is the same for all cells.
	 *
	 * @param command the command line
	 * @param infrastructure what Kafka and PostgreSQL run as
	 * @param backends that the plan's cells name
	 * @param load how orders are placed
	 * @param heap of each service, in the JVM's notation
	 * @param collector of each service, as the JVM's option
	 * @param deliveryConcurrency orders that the consumer delivers at once
	 * @param warmUpOrders of each mode, before each round
	 * @param warmUpBurst at once, after them
	 * @param deadlineMillis of a cell, in milliseconds
	 */
	record Settings(String command, Infrastructure infrastructure, List<BackendModel> backends, OrderLoad load,
			String heap, String collector, int deliveryConcurrency, int warmUpOrders, int warmUpBurst,
			long deadlineMillis) {

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

		/** As many orders in flight as the seed's client had at most. */
		static final OrderLoad USUAL = new OrderLoad(1_000, Client.USUAL.items(), Map.of());

		Client client(int orders) {
			return Client.USUAL.placing(this.perSecond.getOrDefault(orders, 0.0), this.items);
		}

	}

	CompareExperiment(Settings settings, ComparePlan plan, RunDirectory directory, Progress progress) {
		this.settings = settings;
		this.infrastructure = settings.infrastructure();
		this.plan = plan;
		this.directory = directory;
		this.progress = progress;
	}

	/**
	 * Runs the plan. What goes wrong under way makes the result partial: what was
	 * measured until then is kept.
	 * @throws IOException if the result cannot be written
	 */
	RunResult run(Interruption interruption) throws IOException {
		JvmRecords records = new JvmRecords(this.directory);
		return new Measurement(NAME, this.settings.command(), this.directory, this.progress, interruption)
			.run(() -> measure(records), (course) -> result(course, records));
	}

	private void measure(JvmRecords records) throws IOException, InterruptedException {
		try (Stack stack = stack()) {
			this.infrastructure = stack.infrastructure().infrastructure();
			stack.prepare(modules(), this.progress::step);
			this.progress.step("Starting Kafka, PostgreSQL (%s) and the backend"
				.formatted(this.infrastructure.name().toLowerCase(Locale.ROOT)));
			Service[] backend = new Service[1];
			Stack.inParallel(List.of(() -> {
				stack.startInfrastructure();
				return null;
			}, () -> backend[0] = stack.startBackend(ServiceOptions.NONE)));
			for (Round round : this.plan.rounds()) {
				run(round, stack, backend[0], records);
			}
		}
	}

	private RunResult result(Course course, JvmRecords records) throws IOException {
		return new RunResult(RunResult.SCHEMA, NAME, this.settings.command(), course.startedAt(), course.finishedAt(),
				course.partial(), environment(), configuration(), this.cells, leftOut(course.partial()), null,
				List.of())
			.withChecks(List.of(records.check()));
	}

	private Set<Module> modules() {
		Stream<Module> gateways = this.plan.rounds().stream().map((round) -> Variant.of(round.variant()).module());
		return Stream.concat(Stream.of(Module.BACKEND, Module.CONSUMER), gateways).collect(Collectors.toSet());
	}

	private Stack stack() throws IOException {
		return Stack.builder()
			.infrastructure(this.settings.infrastructure())
			.directory(this.directory.directory("logs"))
			.jvmArgs("-Xms" + this.settings.heap(), "-Xmx" + this.settings.heap(), "-XX:-UseG1GC",
					this.settings.collector())
			.build();
	}

	private void run(Round round, Stack stack, Service backend, JvmRecords records)
			throws IOException, InterruptedException {
		this.progress.step("Round %s: %d cells".formatted(round.name(), round.cells().size()));
		LoadRound.Record record;
		Map<String, Service> services = new ConcurrentHashMap<>(Map.of(BACKEND, backend));
		ServiceOptions consumer = options(round, CONSUMER, records).withProperty("delivery.concurrency",
				this.settings.deliveryConcurrency());
		ServiceOptions gateway = options(round, GATEWAY, records);
		try {
			Stack.inParallel(List.of(() -> services.put(CONSUMER, stack.startConsumer(consumer)),
					() -> services.put(GATEWAY, stack.startGateway(Variant.of(round.variant()), gateway))));
			record = new LoadRound(this.directory, round.name(), stack, services).run(this.json,
					loadPlan(round, Objects.requireNonNull(services.get(GATEWAY)), backend),
					(phase) -> show(round, phase));
		}
		finally {
			// They write their recordings when they end.
			Stream.of(GATEWAY, CONSUMER).map(services::get).filter(Objects::nonNull).forEach(Service::close);
		}
		record.conclude(() -> evaluate(round, record, records));
	}

	private static ServiceOptions options(Round round, String service, JvmRecords records) {
		String name = round.name() + "-" + service;
		return records.recorded(name, ServiceOptions.NONE.withLog(name));
	}

	private LoadPlan loadPlan(Round round, Service gateway, Service backend) throws IOException {
		List<Phase> phases = new ArrayList<>(
				WarmUp.phases(modes(round), this.settings.warmUpOrders(), this.settings.warmUpBurst()));
		round.cells().stream().map(this::phase).forEach(phases::add);
		// Unique however often the same stack is used.
		String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + round.name();
		return new LoadPlan(token, gateway.uri(), backend.uri(), this.directory.directory("outcomes/" + round.name()),
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
		this.progress.now("cell %d of %d: %s, %s".formatted(done + 1, all, round.name(), phase.name()));
	}

	private void evaluate(Round round, LoadRound.Record record, JvmRecords records) throws IOException {
		if (record.log() == null) {
			return;
		}
		Map<String, JfrRecording> recordings = new LinkedHashMap<>();
		Map<String, ScrapedGauge> pools = new LinkedHashMap<>();
		Path scrapes = this.directory.directory("scrapes/" + round.name());
		for (String service : List.of(GATEWAY, CONSUMER)) {
			records.read(round.name() + "-" + service).ifPresent((recording) -> recordings.put(service, recording));
			pools.put(service,
					ScrapedGauge.read(scrapes.resolve(service + ".prom.gz"), ScrapedGauge.POOLED_CONNECTIONS));
		}
		CellEvaluation evaluation = new CellEvaluation(record.log(), record.samples(), recordings, pools, MEASURED,
				GATEWAY, Runtime.getRuntime().availableProcessors());
		for (Cell cell : round.cells()) {
			record.outcome(phaseName(cell)).ifPresent((outcome) -> this.cells.add(evaluation.evaluate(cell, outcome)));
		}
	}

	private Environment environment() throws IOException {
		Workspace workspace = Workspace.find();
		List<Path> jars = Stream.of(Module.BACKEND, Module.CONSUMER, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE)
			.map(workspace::jar)
			.filter(Files::exists)
			.toList();
		return EnvironmentProbe.probe(workspace.root(), jars, this.infrastructure);
	}

	private Map<String, String> configuration() {
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
		if (this.infrastructure != Infrastructure.EMBEDDED) {
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
