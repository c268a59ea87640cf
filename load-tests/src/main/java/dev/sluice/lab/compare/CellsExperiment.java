package dev.sluice.lab.compare;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.page.ComparePage;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load.Kind;
import dev.sluice.lab.kit.load.GeneratorProcess;
import dev.sluice.lab.kit.load.PhaseRunner;
import dev.sluice.lab.kit.load.PhaseRunner.Measured;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.GcLog;
import dev.sluice.lab.kit.measure.PrometheusScraper;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Experiment.ReportWriter;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;

/**
 * Measures the cells of a plan. Kafka, PostgreSQL and the backend run throughout;
 * gateways and consumer are started for each block of the plan.
 */
abstract class CellsExperiment extends Experiment {

	private static final String BACKEND = "backend";

	private static final String CONSUMER = "consumer";

	private static final String GATEWAY = "gateway";

	private static final List<String> MEASURED = List.of(GATEWAY, BACKEND, "kafka", "postgresql",
			CellEvaluation.LOAD_GENERATOR, CellEvaluation.LAB);

	/** The consumer's default of {@code delivery.max-pending}. */
	private static final int MIN_PENDING = 10_000;

	@ArgGroup
	private LengthOptions length = new LengthOptions();

	@SuppressWarnings("NullAway.Init") // Before anything is measured.
	private ComparePlan plan;

	private final List<CellResult> cells = new ArrayList<>();

	/** Those that ended, by block. */
	private final Map<String, List<WarmUpWindow>> warmUps = new LinkedHashMap<>();

	private @Nullable Service backend;

	/** What to measure, by the options; throws what {@link #usage} makes. */
	protected abstract ComparePlan plan();

	/** Whether to measure on a busy machine. */
	protected abstract boolean isForced();

	@Override
	protected void check() {
		this.plan = plan();
	}

	protected final Length length() {
		return this.length.value();
	}

	protected final List<CellResult> cells() {
		return this.cells;
	}

	private boolean isSmallest() {
		return length() == Length.SMALLEST;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		progress().step("Report, written again after each cell: " + directory().path().resolve(ReportWriter.NAME));
		EnvironmentProbe.checkIdle(progress(), isForced() || isSmallest());
		StackOptions options = isSmallest() ? StackOptions.CHECKING : StackOptions.DEFAULT;
		try (Stack stack = stack(options.withJvmArgs("-Xms" + this.plan.heap(), "-Xmx" + this.plan.heap(),
				"-XX:-UseG1GC", this.plan.collector()))) {
			progress().step("Starting Kafka, PostgreSQL (%s) and the backend"
				.formatted(infrastructure().name().toLowerCase(Locale.ROOT)));
			Stack.inParallel(List.of(stack::startInfrastructure, () -> backend(this.plan.blocks().getFirst(), stack)));
			runAll(stack);
		}
	}

	/** Blocks that fail do not keep the others from being measured. */
	private void runAll(Stack stack) throws IOException, InterruptedException {
		List<String> failed = new ArrayList<>();
		for (Block block : this.plan.blocks()) {
			try {
				run(block, stack, backend(block, stack));
			}
			catch (IOException | RuntimeException ex) {
				if (interruption().isRequested()) {
					throw ex;
				}
				failed.add("%s failed: %s".formatted(String.join(", ", block.names()), inOneLine(why(ex))));
				progress().step(failed.getLast());
			}
		}
		if (!failed.isEmpty()) {
			throw new LabException(String.join("; ", failed));
		}
	}

	/** The first and the last line, without the end of the service's log between them. */
	private static String inOneLine(String why) {
		List<String> lines = why.lines().toList();
		return (lines.size() > 1) ? lines.getFirst() + " " + lines.getLast() : why;
	}

	/** The backend that runs, or a new one if it has died. */
	private Service backend(Block block, Stack stack) {
		if (this.backend == null || !this.backend.isAlive()) {
			this.backend = stack.startBackend(ServiceOptions.NONE.withLog(block.name() + "-backend"));
		}
		return this.backend;
	}

	@Override
	protected Finding finding() {
		return new CompareResult(this.cells, judged(), Setup.of(this.plan.deliveryConcurrency(), this.plan.backends()),
				length().toString());
	}

	/** Whether the cells meet the limits of a scenario; null without one. */
	protected @Nullable ScenarioResult judged() {
		return null;
	}

	@Override
	protected List<Check> checks() {
		return this.plan.load().warmUpCheck(this.warmUps).stream().toList();
	}

	private void run(Block block, Stack stack, Service backend) throws IOException, InterruptedException {
		progress().step("Starting %s%s".formatted(this.plan.hasConsumer() ? "the consumer and " : "",
				String.join(", ", block.names())));
		Map<String, Service> services = new ConcurrentHashMap<>(Map.of(BACKEND, backend));
		try {
			List<Callable<?>> starts = new ArrayList<>();
			if (this.plan.hasConsumer()) {
				starts.add(() -> services.put(CONSUMER,
						stack.startConsumer(logged(block, CONSUMER, ServiceOptions.NONE)
							.withProperty("delivery.concurrency", this.plan.deliveryConcurrency())
							.withProperty("delivery.max-pending", maxPending()))));
			}
			block.gateways()
				.forEach((gateway) -> starts
					.add(() -> services.put(gateway(gateway.name()), stack.startAnotherGateway(gateway.variant(),
							logged(block, gateway.name(), options(gateway, backend))))));
			Stack.inParallel(starts);
			progress().step("Warm-up, then %s cells".formatted(block.cells().size()));
			load(block, stack, services);
		}
		finally {
			services.forEach((name, service) -> {
				if (!name.equals(BACKEND)) {
					service.close();
				}
			});
		}
	}

	/** The consumer requires room for twice as many records as it delivers at once. */
	private int maxPending() {
		return Math.max(MIN_PENDING, 2 * this.plan.deliveryConcurrency());
	}

	private ServiceOptions options(Gateway gateway, Service backend) {
		ServiceOptions options = gateway.options().withProperty("backend.url", backend.uri());
		// Without a consumer there is no table of statuses to look keys up in.
		return this.plan.hasConsumer() ? options : options.withProperty("status.key-lookup-timeout", 0);
	}

	/**
	 * The work of one load generator from start to end, with everything that watches it.
	 */
	private void load(Block block, Stack stack, Map<String, Service> services)
			throws IOException, InterruptedException {
		Map<String, URI> endpoints = new LinkedHashMap<>();
		Map<String, List<Long>> groups = ProcessSampler.servers(stack.infrastructure());
		services.forEach((service, running) -> {
			endpoints.put(service, running.metrics());
			groups.put(service, List.of(running.pid()));
		});
		Path outcomes = directory().directory("outcomes/" + block.name());
		Path log = directory().directory("logs").resolve(block.name() + "-load-generator.log");
		String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + block.name();
		try (PrometheusScraper scraper = new PrometheusScraper(endpoints,
				directory().directory("scrapes/" + block.name()), CellEvaluation.metrics()::contains);
				GeneratorProcess generator = GeneratorProcess.start(log)) {
			groups.put(CellEvaluation.LAB, List.of(ProcessHandle.current().pid()));
			groups.put(CellEvaluation.LOAD_GENERATOR, List.of(generator.pid()));
			try (ProcessSampler sampler = new ProcessSampler(groups,
					directory().directory("samples").resolve(block.name() + ".csv"))) {
				BackendControl backend = new BackendControl(Objects.requireNonNull(services.get(BACKEND)).uri());
				PhaseRunner runner = new PhaseRunner(backend, generator, sampler, outcomes, token,
						() -> Stack.checkAlive(services.values()),
						(windows) -> progress().during(this.plan.load().warming(windows)));
				measure(block, services, runner, sampler, scraper);
			}
		}
	}

	/** A gateway's name among the services. */
	private static String gateway(String variant) {
		return GATEWAY + "-" + variant;
	}

	/** Options of a service that make it write its logs here. */
	private ServiceOptions logged(Block block, String service, ServiceOptions options) throws IOException {
		return GcLog.written(gcLog(block, service), options.withLog(block.name() + "-" + service));
	}

	private Path gcLog(Block block, String service) throws IOException {
		return directory().directory("gc").resolve("%s-%s.log".formatted(block.name(), service));
	}

	/**
	 * A cell that has just ended.
	 * @param samples of all processes
	 * @param scraped the services' metrics since the cell before, by service
	 */
	private CellResult evaluate(Block block, Cell cell, Measured measured, ProcessSamples samples,
			Map<String, Scrapes> scraped) throws IOException {
		String gateway = gateway(cell.variant());
		Map<String, GcLog> collectors = new HashMap<>(Map.of(GATEWAY, GcLog.read(gcLog(block, cell.variant()))));
		Map<String, Scrapes> scrapes = new HashMap<>(scraped);
		scrapes.put(GATEWAY, Objects.requireNonNull(scrapes.get(gateway)));
		// Other gateways are idle.
		scrapes.keySet().removeIf((service) -> service.startsWith(GATEWAY + "-"));
		List<String> services = new ArrayList<>(MEASURED);
		if (this.plan.hasConsumer()) {
			collectors.put(CONSUMER, GcLog.read(gcLog(block, CONSUMER)));
			services.add(CONSUMER);
		}
		return new CellEvaluation(samples.calling(gateway, GATEWAY), collectors, scrapes, services,
				Runtime.getRuntime().availableProcessors())
			.evaluate(cell, measured.outcome(), measured.calls(), measured.times());
	}

	private void measure(Block block, Map<String, Service> services, PhaseRunner runner, ProcessSampler sampler,
			PrometheusScraper scraper) throws IOException, InterruptedException {
		Map<String, Target> targets = new LinkedHashMap<>();
		for (String variant : block.names()) {
			for (Mode mode : block.modes()) {
				targets.put(variant + " " + mode,
						new Target(Objects.requireNonNull(services.get(gateway(variant))).uri(), mode));
			}
		}
		CellLoad kind = this.plan.load();
		for (Phase warmUp : kind.warmUp(List.copyOf(targets.values()), block.modes())) {
			if (kind.kind() == Kind.BURST) {
				runner.run(warmUp);
			}
			else {
				this.warmUps.put(block.name(), runner.warmUp(warmUp, kind.settling()));
			}
		}
		List<Target> queued = targets.values().stream().filter((target) -> target.mode() == Mode.QUEUED).toList();
		List<Cell> all = this.plan.cells();
		String before = "";
		for (Cell cell : block.cells()) {
			BackendModel backend = this.plan.backend(cell);
			Optional<Phase> settling = kind.settling("settling, backend " + cell.capacity(), queued,
					backend.behaviour());
			if (!before.equals(cell.capacity()) && settling.isPresent()) {
				runner.run(settling.get());
			}
			before = cell.capacity();
			progress().of(all.indexOf(cell), all.size(),
					"cell %s of %s: %s".formatted(all.indexOf(cell) + 1, all.size(), cell));
			Target target = Objects.requireNonNull(targets.get(cell.variant() + " " + cell.mode()));
			Measured measured = runner
				.measure(kind.phase(Block.phase(cell), cell, target, backend, !block.newConnections()));
			this.cells.add(evaluate(block, cell, measured, sampler.samples(), scraper.scrapes()));
			progress().step(ComparePage.line(this.cells.getLast()));
			showSoFar();
		}
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("gateways", (this.plan.blocks().size() == 1)
				? "all run from beginning to end; those without load idle" : "one at a time");
		CellLoad load = this.plan.load();
		configuration.put("a cell", "%s s and %s orders at least, %s s at most; %s items an order"
			.formatted(load.leastMillis() / 1_000.0, load.leastOrders(), load.deadlineMillis() / 1_000, load.items()));
		this.plan.backends().forEach((backend) -> configuration.put("backend " + backend.label(), backend.limits()));
		configuration.put("services' JVM",
				"-Xms%1$s -Xmx%1$s %2$s %3$s".formatted(this.plan.heap(), this.plan.collector(),
						isSmallest() ? StackOptions.CHECKING_JVM_ARG : String.join(" ", StackOptions.COMPILERS)));
		if (this.plan.hasConsumer()) {
			configuration.put("consumer delivery.concurrency", Integer.toString(this.plan.deliveryConcurrency()));
		}
		return configuration;
	}

}
