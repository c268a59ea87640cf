package dev.sluice.lab.causes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.causes.CausesPlan.Cell;
import dev.sluice.lab.causes.CausesPlan.Round;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.jvm.JfrRecording;
import dev.sluice.lab.kit.metrics.ScrapedGauge;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUp;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.JvmRecords;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs a {@link CausesPlan} against the blocking gateway. Each round starts a gateway and
 * a backend. Kafka and PostgreSQL run throughout: synchronous orders do not need them,
 * but a gateway does not start without them.
 */
public final class CausesExperiment extends Experiment {

	/** The command. */
	public static final String NAME = "compare --causes";

	/** Prefix of the results directory's name. */
	public static final String SHORT_NAME = "causes";

	private static final Variant VARIANT = Variant.SERVLET_PLATFORM;

	private static final String GATEWAY = "gateway";

	private static final String BACKEND = "backend";

	private final JvmRecords records;

	private final Settings settings;

	private final CausesPlan plan;

	private final JsonMapper json = JsonMapper.builder().build();

	private final List<CausesResult.Cell> cells = new ArrayList<>();

	private final Set<FactorLevels> outOfMemory = new HashSet<>();

	/**
	 * Settings that are not part of the plan.
	 *
	 * @param warmUpOrders orders placed before each round's cells
	 * @param deadlineMillis time limit of a cell, in milliseconds
	 */
	private record Settings(int warmUpOrders, long deadlineMillis) {
	}

	/**
	 * Creates the experiment of a given length.
	 * @param repetitions of the whole plan; a shorter one runs once
	 * @throws IOException if the run's directory cannot be written
	 */
	public CausesExperiment(Run run, Infrastructure infrastructure, Length length, int repetitions) throws IOException {
		super(NAME, run, infrastructure);
		this.records = new JvmRecords(run.directory());
		this.plan = switch (length) {
			case SMALLEST -> CausesPlan.smallest();
			case QUICK -> CausesPlan.quick();
			case WHOLE -> CausesPlan.whole(repetitions);
		};
		int warmUpOrders = switch (length) {
			case SMALLEST -> 300;
			case QUICK -> 2_000;
			case WHOLE -> 4_000;
		};
		this.settings = new Settings(warmUpOrders, (length == Length.WHOLE) ? 180_000 : 60_000);
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		List<String> failed = new ArrayList<>();
		try (Stack stack = stack()) {
			stack.prepare(modules(), progress()::step);
			progress().step("Starting Kafka and PostgreSQL");
			stack.startInfrastructure();
			Certificate certificate = Certificate.make(directory().path());
			for (Round round : this.plan.rounds()) {
				try {
					run(round, stack, certificate);
				}
				catch (IOException | RuntimeException ex) {
					// A setting may kill its gateway; the others are still measured.
					if (interruption().isRequested()) {
						throw ex;
					}
					failed.add("round %s (%s) failed: %s".formatted(round.name(), CausesPlan.name(round.gateway()),
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
	protected List<Check> checks() {
		return List.of(this.records.check());
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof CausesResult causes) ? CausesText.of(causes) : "";
	}

	/** The first and the last line, without the end of the service's log between them. */
	private static String inOneLine(String why) {
		List<String> lines = why.lines().toList();
		return (lines.size() > 1) ? lines.getFirst() + " " + lines.getLast() : why;
	}

	private void run(Round round, Stack stack, Certificate certificate) throws IOException, InterruptedException {
		progress().step("Round %s of %d: %s".formatted(round.name(), this.plan.rounds().size(),
				CausesPlan.name(round.gateway())));
		Map<String, Service> services = new ConcurrentHashMap<>();
		ServiceOptions backend = backend(round, certificate);
		ServiceOptions gateway = this.records.recorded(round.name(), gateway(round, stack, certificate));
		LoadRound.Record record;
		try {
			Stack.inParallel(List.of(() -> services.put(BACKEND, stack.startBackend(backend)),
					() -> services.put(GATEWAY, stack.startGateway(VARIANT, gateway))));
			record = new LoadRound(directory(), round.name(), stack, services).run(this.json, loadPlan(round, services),
					(phase) -> progress().now(phase.name()));
		}
		finally {
			// Until the gateway has written its recording, the backend must run.
			Stream.of(GATEWAY, BACKEND).map(services::get).filter(Objects::nonNull).forEach(Service::close);
		}
		try {
			record.conclude(() -> evaluate(round, record));
		}
		catch (LabException ex) {
			if (!Objects.requireNonNull(services.get(GATEWAY)).ranOutOfMemory()) {
				throw ex;
			}
			// The setting causes this, so the run has not failed.
			FactorLevels levels = unfinished(round, record);
			this.outOfMemory.add(levels);
			progress().step(
					"Round %s: the gateway ended, out of memory (%s)".formatted(round.name(), CausesPlan.name(levels)));
		}
	}

	/** The setting of the cell that was running when the round ended. */
	private static FactorLevels unfinished(Round round, LoadRound.Record record) {
		Set<String> finished = record.outcomes().stream().map(PhaseOutcome::name).collect(Collectors.toSet());
		return round.cells()
			.stream()
			.filter((cell) -> !finished.contains(phaseName(cell)))
			.findFirst()
			.orElse(round.cells().getLast())
			.levels();
	}

	private static ServiceOptions backend(Round round, Certificate certificate) {
		ServiceOptions options = ServiceOptions.NONE.withLog(round.name() + "-backend");
		return round.gateway().connections().haveTls() ? withTls(withManagement(options), certificate) : options;
	}

	private static ServiceOptions gateway(Round round, Stack stack, Certificate certificate) {
		FactorLevels levels = round.gateway();
		String heap = levels.heap() + "m";
		ServiceOptions options = withManagement(ServiceOptions.NONE.withLog(round.name() + "-gateway"))
			.withJvmArgs("-Xms" + heap, "-Xmx" + heap)
			.withJvmArgs(levels.collector().jvmArgs())
			.withProperty("server.tomcat.threads.max", levels.threads())
			// Started in advance, so that no cell is slowed by starting threads.
			.withProperty("server.tomcat.threads.min-spare", levels.threads())
			// No consumer runs, so there is no table of statuses to look keys up in.
			.withProperty("status.key-lookup-timeout", 0);
		for (Map.Entry<String, Object> property : levels.retries().properties().entrySet()) {
			options = options.withProperty(property.getKey(), property.getValue());
		}
		if (!levels.connections().areKept()) {
			options = options.withProperty("backend.idle-timeout", "1s");
		}
		if (levels.connections().haveTls()) {
			options = withTls(options, certificate).withJvmArgs(certificate.trust())
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

	private LoadPlan loadPlan(Round round, Map<String, Service> services) throws IOException {
		int burst = round.cells()
			.stream()
			.mapToInt((cell) -> Math.min(cell.orders(), CausesPlan.MANY))
			.max()
			.orElseThrow();
		List<Phase> phases = new ArrayList<>(WarmUp.phases(List.of(Mode.SYNC), this.settings.warmUpOrders(), burst));
		round.cells().stream().map((cell) -> phase(cell, this.settings.deadlineMillis())).forEach(phases::add);
		String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-" + round.name();
		return new LoadPlan(token, Objects.requireNonNull(services.get(GATEWAY)).uri(),
				Objects.requireNonNull(services.get(BACKEND)).uri(), directory().directory("outcomes/" + round.name()),
				phases);
	}

	private static Phase phase(Cell cell, long deadlineMillis) {
		BackendBehaviour behaviour = BackendBehaviour.DEFAULT.withCapacity(cell.levels().backend().capacity());
		return new Phase(phaseName(cell), Mode.SYNC, cell.orders(), CausesPlan.MANY, behaviour, deadlineMillis, true)
			.with(cell.levels().client());
	}

	/** Used as a file name and in the orders' keys. */
	private static String phaseName(Cell cell) {
		return "%s %s %d trial %d".formatted(cell.levels().backend().name(), cell.levels().patience().name(),
				cell.orders(), cell.trial());
	}

	private void evaluate(Round round, LoadRound.Record record) throws IOException {
		GatlingLog log = record.log();
		if (log == null) {
			return;
		}
		Map<String, JfrRecording> recordings = new LinkedHashMap<>();
		this.records.read(round.name()).ifPresent((recording) -> recordings.put(GATEWAY, recording));
		Path scrapes = directory().directory("scrapes/" + round.name()).resolve(GATEWAY + ".prom.gz");
		CausesEvaluation evaluation = new CausesEvaluation(
				new CellEvaluation(log, record.samples(), recordings, Map.of(), List.of(GATEWAY, BACKEND), GATEWAY,
						Runtime.getRuntime().availableProcessors(), 0),
				ScrapedGauge.read(scrapes, ScrapedGauge.THREADS));
		for (Cell cell : round.cells()) {
			record.outcome(phaseName(cell))
				.ifPresent((outcome) -> this.cells.add(evaluation.evaluate(cell, repetition(round), outcome)));
		}
	}

	/** The base at the end of a single repetition counts as its second. */
	private int repetition(Round round) {
		boolean again = this.plan.rounds()
			.stream()
			.anyMatch((other) -> other.repetition() == round.repetition() && other.number() < round.number()
					&& other.gateway().equals(round.gateway()));
		return again ? round.repetition() + 1 : round.repetition();
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		List<CausesResult.FactorLevels> settings = this.plan.rounds()
			.stream()
			.flatMap((round) -> round.cells().stream())
			.map(Cell::levels)
			.distinct()
			.map((levels) -> new CausesResult.FactorLevels(CausesPlan.name(levels), levels.changes(),
					levels.concernsMemoryAlone(), this.outOfMemory.contains(levels)))
			.toList();
		Map<String, FactorLevels> allButOne = CausesPlan.allButOne();
		List<CausesResult.Share> shares = CausesPlan.alone()
			.entrySet()
			.stream()
			.map((alone) -> new CausesResult.Share(alone.getKey(), CausesPlan.name(alone.getValue()),
					CausesPlan.name(Objects.requireNonNull(allButOne.get(alone.getKey())))))
			.toList();
		return new CausesResult(VARIANT.id(), CausesPlan.FEW, CausesPlan.MANY, CausesPlan.name(CausesPlan.ALL), shares,
				settings, this.cells);
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		FactorLevels.BASE.byFactor().forEach((factor, level) -> configuration.put("base: " + factor, level));
		configuration.put("orders in flight", "at most %,d".formatted(CausesPlan.MANY));
		configuration.put("tries",
				"the client retries until accepted, within the cell's deadline, after 0.1 s to 1.6 s");
		configuration.put("cell deadline", "%d s".formatted(this.settings.deadlineMillis() / 1_000));
		configuration.put("warm-up", "%,d orders, then as many at once as the largest cell has, before each round"
			.formatted(this.settings.warmUpOrders()));
		configuration.put("backend delay", "50 ms");
		configuration.put("new connections",
				"the client closes its own after each order; the gateway's to the backend are closed between cells");
		configuration.put("TLS", "on both ways, 2,048 bits of RSA, certificate made by keytool for the run");
		return configuration;
	}

}
