package dev.sluice.lab.compare;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.compare.figures.Factor;
import dev.sluice.lab.compare.figures.Setting;
import dev.sluice.lab.compare.page.CausesPage;
import dev.sluice.lab.kit.jvm.GcLog;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUp;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

/**
 * Measures what each factor costs the blocking gateway: the base, each factor alone, and
 * all together. A round is one setting with its own start of gateway and backend. All
 * rounds are repeated in turn, and each repetition begins with another setting, so that a
 * machine that slows down does so for all. Without repetitions the base runs first and
 * last, which shows the machine's own variation. Kafka and PostgreSQL run throughout:
 * synchronous orders do not need them, but a gateway does not start without them.
 */
final class CausesExperiment extends Experiment {

	/** The command. */
	static final String NAME = "compare --causes";

	/** Prefix of the results directory's name. */
	static final String SHORT_NAME = "causes";

	/** Load at which the reference's rate was still high. */
	private static final int FEW = 100;

	/** Load at which the reference's rate had collapsed. */
	private static final int MANY = 1_000;

	/**
	 * Orders of a longer cell with {@value #MANY} in flight, so that a collector has work
	 * to do.
	 */
	private static final int LONG = 5_000;

	/**
	 * Cells of a fast backend last only about a second and so vary. Those of a slow one
	 * are long enough.
	 */
	private static final int FAST_TRIALS = 3;

	/** Longer than the number of requests that can be in flight, retries included. */
	private static final int BACKEND_QUEUE = 10_000;

	/** A functional check, with new connections and TLS. */
	private static final Setting SMALLEST = new Setting("all but the backend's threads",
			EnumSet.complementOf(EnumSet.of(Factor.BACKEND_THREADS, Factor.GATEWAY_THREADS)));

	private static final Variant VARIANT = Variant.SERVLET_PLATFORM;

	private static final String GATEWAY = "gateway";

	private static final String BACKEND = LoadRound.BACKEND;

	/** Orders placed before each round's cells. */
	private final int warmUpOrders;

	/** Time limit of a cell. */
	private final long deadlineMillis;

	private final List<Round> plan;

	private final List<CausesResult.Cell> cells = new ArrayList<>();

	/**
	 * One start of a gateway.
	 *
	 * @param name unique; used as a file name
	 * @param repetition from 1
	 * @param cells in the order they run
	 */
	private record Round(String name, int repetition, Setting setting, List<Cell> cells) {
	}

	/**
	 * One measurement.
	 *
	 * @param orders placed, {@value #MANY} in flight at most
	 * @param trial number of the same measurement within the round, from 1
	 */
	private record Cell(int orders, int trial) {

		/** Used as a file name and in the orders' keys. */
		String phase() {
			return "%s trial %s".formatted(this.orders, this.trial);
		}

	}

	/**
	 * Creates the experiment of a given length.
	 * @param repetitions of all settings; a shorter experiment has one
	 */
	CausesExperiment(Run run, Infrastructure infrastructure, Length length, int repetitions) {
		super(NAME, run, infrastructure);
		this.plan = switch (length) {
			case SMALLEST -> List.of(new Round("1-01", 1, SMALLEST, List.of(new Cell(FEW, 1))));
			case QUICK -> plan(1);
			case WHOLE -> plan(repetitions);
		};
		this.warmUpOrders = switch (length) {
			case SMALLEST -> 300;
			case QUICK -> 2_000;
			case WHOLE -> 4_000;
		};
		this.deadlineMillis = (length == Length.WHOLE) ? 180_000 : 60_000;
	}

	private static List<Round> plan(int repetitions) {
		List<Round> rounds = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			List<Setting> settings = new ArrayList<>(Setting.all());
			Collections.rotate(settings, 1 - repetition);
			for (Setting setting : settings) {
				rounds.add(round(rounds.size() + 1, repetition, setting));
			}
		}
		if (repetitions == 1) {
			rounds.add(round(rounds.size() + 1, 2, Setting.BASE));
		}
		return rounds;
	}

	private static Round round(int number, int repetition, Setting setting) {
		List<Cell> cells = new ArrayList<>();
		int trials = setting.has(Factor.BACKEND_THREADS) ? 1 : FAST_TRIALS;
		for (int trial = 1; trial <= trials; trial++) {
			cells.add(new Cell(FEW, trial));
			cells.add(new Cell(MANY, trial));
		}
		if (setting.concernsMemoryAlone()) {
			cells.add(new Cell(LONG, 1));
		}
		return new Round(String.format(Locale.ROOT, "%s-%02d", repetition, number), repetition, setting, cells);
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		List<String> failed = new ArrayList<>();
		try (Stack stack = stack()) {
			stack.prepare(modules(), progress()::step);
			progress().step("Starting Kafka and PostgreSQL");
			stack.startInfrastructure();
			Certificate certificate = Certificate.make(directory().path());
			for (Round round : this.plan) {
				try {
					run(round, stack, certificate);
				}
				catch (IOException | RuntimeException ex) {
					// A setting may kill its gateway; the others are still measured.
					if (interruption().isRequested()) {
						throw ex;
					}
					failed.add("round %s (%s) failed: %s".formatted(round.name(), round.setting().name(),
							inOneLine(why(ex))));
					progress().step(failed.getLast());
				}
			}
		}
		if (!failed.isEmpty()) {
			throw new LabException(String.join("; ", failed));
		}
	}

	@Override
	protected Set<Module> modules() {
		return Set.of(Module.BACKEND, VARIANT.module());
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof CausesResult causes) ? CausesPage.text(causes) : "";
	}

	/** The first and the last line, without the end of the service's log between them. */
	private static String inOneLine(String why) {
		List<String> lines = why.lines().toList();
		return (lines.size() > 1) ? lines.getFirst() + " " + lines.getLast() : why;
	}

	private void run(Round round, Stack stack, Certificate certificate) throws IOException, InterruptedException {
		progress().step("Round %s of %s: %s".formatted(round.name(), this.plan.size(), round.setting().name()));
		Map<String, Service> services = new ConcurrentHashMap<>();
		ServiceOptions backend = backend(round, certificate);
		ServiceOptions gateway = GcLog.written(gcLog(round), gateway(round, stack, certificate));
		LoadRound.Record record;
		try {
			Stack.inParallel(List.of(() -> services.put(BACKEND, stack.startBackend(backend)),
					() -> services.put(GATEWAY, stack.startGateway(VARIANT, gateway))));
			record = new LoadRound(directory(), round.name(), stack, services, certificate.context()).run(
					phases(round, Objects.requireNonNull(services.get(GATEWAY)).uri()),
					(phase) -> progress().now(phase.name()));
		}
		finally {
			Stream.of(GATEWAY, BACKEND).map(services::get).filter(Objects::nonNull).forEach(Service::close);
		}
		record.conclude(() -> evaluate(round, record));
	}

	private static ServiceOptions backend(Round round, Certificate certificate) {
		ServiceOptions options = ServiceOptions.NONE.withLog(round.name() + "-backend");
		return round.setting().has(Factor.CONNECTIONS) ? withTls(withManagement(options), certificate) : options;
	}

	private static ServiceOptions gateway(Round round, Stack stack, Certificate certificate) {
		Setting setting = round.setting();
		String heap = setting.has(Factor.HEAP) ? "192m" : "1g";
		int threads = setting.has(Factor.GATEWAY_THREADS) ? 14 : 1_000;
		boolean retries = setting.has(Factor.RETRIES);
		ServiceOptions options = withManagement(ServiceOptions.NONE.withLog(round.name() + "-gateway"))
			.withJvmArgs("-Xms" + heap, "-Xmx" + heap)
			// First switches off the stack's default collector: a JVM refuses two.
			.withJvmArgs("-XX:-UseG1GC", setting.has(Factor.COLLECTOR) ? "-XX:+UseSerialGC" : "-XX:+UseG1GC")
			.withProperty("server.tomcat.threads.max", threads)
			// Started in advance, so that no cell is slowed by starting threads.
			.withProperty("server.tomcat.threads.min-spare", threads)
			// No consumer runs, so there is no table of statuses to look keys up in.
			.withProperty("status.key-lookup-timeout", 0)
			.withProperty("backend.response-timeout", retries ? "10s" : "60s")
			.withProperty("backend.max-attempts", retries ? 3 : 1);
		if (setting.has(Factor.CONNECTIONS)) {
			options = withTls(options, certificate).withJvmArgs(certificate.trust())
				.withProperty("backend.idle-timeout", "1s")
				.withProperty("backend.url", "https://127.0.0.1:" + stack.uri(Module.BACKEND).getPort());
		}
		return options;
	}

	/**
	 * On a separate port, so that the lab can scrape it despite TLS or an exhausted
	 * thread pool.
	 */
	private static ServiceOptions withManagement(ServiceOptions options) {
		return options.withProperty(ServiceOptions.MANAGEMENT_PORT, Ports.free())
			.withProperty("management.server.address", "127.0.0.1")
			.withProperty("management.server.ssl.enabled", "false");
	}

	private static ServiceOptions withTls(ServiceOptions options, Certificate certificate) {
		ServiceOptions all = options;
		for (Map.Entry<String, Object> property : certificate.server().entrySet()) {
			all = all.withProperty(property.getKey(), property.getValue());
		}
		return all;
	}

	private List<Phase> phases(Round round, URI gateway) {
		int burst = round.cells().stream().mapToInt((cell) -> Math.min(cell.orders(), MANY)).max().orElseThrow();
		List<Phase> phases = new ArrayList<>(WarmUp.phases(gateway, List.of(Mode.SYNC), this.warmUpOrders, burst));
		round.cells().stream().map((cell) -> phase(round.setting(), cell, gateway)).forEach(phases::add);
		return phases;
	}

	private Phase phase(Setting setting, Cell cell, URI gateway) {
		Capacity capacity = setting.has(Factor.BACKEND_THREADS) ? new Capacity.Workers(3, BACKEND_QUEUE)
				: new Capacity.Unlimited();
		return new Phase(cell.phase(), new Target(gateway, Mode.SYNC), Extent.of(cell.orders()),
				new Client(MANY, !setting.has(Factor.CONNECTIONS), 0, Client.ITEMS),
				BackendBehaviour.DEFAULT.withCapacity(capacity), this.deadlineMillis);
	}

	private Path gcLog(Round round) throws IOException {
		return directory().directory("gc").resolve(round.name() + ".log");
	}

	private void evaluate(Round round, LoadRound.Record record) throws IOException {
		CellEvaluation recorded = new CellEvaluation(record.samples(), Map.of(GATEWAY, GcLog.read(gcLog(round))),
				Map.of(), List.of(GATEWAY, BACKEND), Runtime.getRuntime().availableProcessors());
		for (Cell cell : round.cells()) {
			Optional<PhaseOutcome> outcome = record.outcome(cell.phase());
			if (outcome.isPresent()) {
				this.cells.add(evaluate(recorded, round, cell, outcome.get(), record.calls(outcome.get())));
			}
		}
	}

	/**
	 * A cell ends when the last order is answered, not when it is saved: an order that a
	 * slow backend saves after its client has given up is of no use to that client.
	 */
	private static CausesResult.Cell evaluate(CellEvaluation recorded, Round round, Cell cell, PhaseOutcome outcome,
			OrderCalls calls) {
		List<Call> answered = calls.answered();
		Instant start = calls.start(outcome.endedAt());
		boolean whole = answered.size() == cell.orders();
		Instant end = whole ? answered.stream().map(Call::end).max(Instant::compareTo).orElse(start)
				: outcome.endedAt();
		Window window = new Window(start, end.isBefore(start) ? start : end);
		String problem = whole ? null
				: "%s of %s orders were answered when the run gave up".formatted(answered.size(), cell.orders());
		return new CausesResult.Cell(round.setting().name(), cell.orders(), round.repetition(), cell.trial(),
				window.seconds(), answered.size(), calls.calls().size(), calls.failures(),
				Latencies.of(calls.answeredMillis()), outcome.audit().received(), outcome.audit().maxInFlight(),
				outcome.audit().connectionsOpened(), recorded.cost(GATEWAY, window, answered.size()),
				recorded.foreignCpuShare(window), problem);
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		List<CausesResult.FactorLevels> settings = this.plan.stream()
			.map(Round::setting)
			.distinct()
			.map((setting) -> new CausesResult.FactorLevels(setting.name(), setting.changes(),
					setting.concernsMemoryAlone()))
			.toList();
		return new CausesResult(VARIANT.id(), FEW, MANY, settings, this.cells);
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		for (Factor factor : Factor.values()) {
			configuration.put("base: " + factor.label(), factor.base());
		}
		configuration.put("orders in flight", "at most %s".formatted(MANY));
		configuration.put("tries",
				"the client retries until accepted, within the cell's deadline, after 0.1 s to 1.6 s");
		configuration.put("cell deadline", "%s s".formatted(this.deadlineMillis / 1_000));
		configuration.put("warm-up", "%s orders, then as many at once as the largest cell has, before each round"
			.formatted(this.warmUpOrders));
		configuration.put("backend delay", "50 ms");
		configuration.put("new connections",
				"the client closes its own after each order; the gateway's to the backend are closed between cells");
		configuration.put("TLS", "on both ways, 2,048 bits of RSA, certificate made by keytool for the run");
		return configuration;
	}

}
