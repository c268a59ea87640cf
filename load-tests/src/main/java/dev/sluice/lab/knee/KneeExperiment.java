package dev.sluice.lab.knee;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.Caller;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Access;
import dev.sluice.lab.kit.deployed.Target.TargetOptions;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.load.WarmUpWatch;
import dev.sluice.lab.kit.measure.PrometheusHistogram;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.knee.SystemUnderTest.Started;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code lab knee}: searches for the highest rate of each variant and mode, in an open
 * model. Each step offers a rate, first as warm-up and then measured, and waits until the
 * accepted orders have arrived.
 */
@Command(name = "knee",
		description = "Searches the greatest rate that each variant and mode sustains under a latency goal, without failures,"
				+ " in an open model. Each of the eight searches takes at most two minutes, and is repeated.")
public final class KneeExperiment extends Experiment {

	private static final double FIRST = 400;

	/** Opens the client's connections, and lets the effects of the last search fade. */
	private static final OpenLoad WARM_UP = new OpenLoad(300, Duration.ofSeconds(5), Duration.ofSeconds(5), 500);

	private static final Duration DRAIN = Duration.ofSeconds(15);

	/** Number of requests that is enough for a 99th percentile. */
	private static final double ENOUGH = 1_000;

	/** As in a comparison, so that this setting does not limit the queued mode. */
	private static final int DELIVERY_CONCURRENCY = 1_000;

	/** Of each step, before its measurement. */
	private static final Duration STEP_WARM_UP = Duration.ofSeconds(2);

	private static final Duration MEASURED = Duration.ofSeconds(5);

	/**
	 * Time limit of one search, after which no step begins. The two searches of a variant
	 * take at most four minutes.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(95);

	private static final Settling SMALLEST_SETTLING = new Settling(1_000, 1_000, 2_000);

	private static final Duration SMALLEST_STEP = Duration.ofMillis(500);

	private static final Duration SMALLEST_LIMIT = Duration.ofSeconds(6);

	@Option(names = "--goal", split = ",", paramLabel = "GOAL",
			description = "p99=TIME of the answers since due, saved-p99=TIME from accepted to saved of queued orders."
					+ " Default: p99=200ms,saved-p99=1s.")
	private List<String> goals = List.of();

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all.")
	private Set<Variant> variants = EnumSet.allOf(Variant.class);

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private Set<Mode> modes = EnumSet.allOf(Mode.class);

	@Option(names = "--repetitions", paramLabel = "N", defaultValue = "3",
			description = "Searches of each variant and mode; the report has their median and range."
					+ " Default: ${DEFAULT-VALUE}, with --smallest 1.")
	private int repetitions = 3;

	@Option(names = "--smallest",
			description = "A few short steps: shows that everything works; its figures mean little.")
	private boolean smallest;

	@Mixin
	private TargetOptions target = new TargetOptions();

	private Goal goal = Goal.DEFAULT;

	/** The system whose gateways are measured instead of variants. */
	private @Nullable Target deployed;

	private final List<Knee> knees = new ArrayList<>();

	/** By variant. */
	private final Map<String, List<WarmUpWindow>> warmUps = new TreeMap<>();

	@Override
	protected void check() {
		require(this.repetitions >= 1, "--repetitions must be at least 1");
		this.goal = argument(() -> Goal.of(this.goals));
		this.deployed = argument(this.target::value);
		if (this.deployed != null) {
			refuse("--target is measured as it is", "--variants", "--infra");
			require(!this.modes.contains(Mode.QUEUED) || this.deployed.metrics().containsKey(Target.CONSUMER),
					"Whether queued orders are saved in time is asked of the consumer's own Prometheus endpoint: name it"
							+ " in the target's 'metrics', or measure --modes sync");
		}
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.deployed != null) {
			searchAll(this.deployed);
			return;
		}
		try (Stack stack = stack()) {
			searchAll(stack);
		}
	}

	@Override
	protected Finding finding() {
		return new KneeResult(this.goal.toString(),
				(this.deployed != null) ? "the target's own" : "50 ms for an order; any number of orders at once",
				this.knees);
	}

	@Override
	protected List<Check> checks() {
		return this.warmUps.isEmpty() ? List.of() : List.of(WarmUpWatch.check(this.warmUps));
	}

	private void searchAll(Target target) throws InterruptedException {
		try (TargetSystem system = new TargetSystem(target)) {
			for (Map.Entry<String, URI> gateway : target.gateways().entrySet()) {
				searchAll(gateway.getKey(), new SystemUnderTest(gateway.getValue(), system, null));
			}
		}
	}

	private void searchAll(Stack stack) throws IOException, InterruptedException {
		progress().step("Starting Kafka, PostgreSQL, the backend and the consumer");
		Stack.inParallel(List.of(stack::startInfrastructure, () -> stack.startBackend(ServiceOptions.NONE), () -> stack
			.startConsumer(ServiceOptions.NONE.withProperty("delivery.concurrency", DELIVERY_CONCURRENCY))));
		Map<String, URI> metrics = Map.of(Target.CONSUMER, stack.uri(Module.CONSUMER).resolve("/actuator/prometheus"));
		BackendControl backend = new BackendControl(stack.uri(Module.BACKEND));
		backend.behave(BackendModel.UNLIMITED.behaviour());
		for (Variant variant : this.variants) {
			try (Service gateway = stack.startGateway(variant, ServiceOptions.NONE);
					TargetSystem target = new TargetSystem(
							new Target(Map.of(variant.id(), gateway.uri()), metrics, Access.OPEN));
					ProcessSampler sampler = new ProcessSampler(stack.processes(),
							directory().directory("samples").resolve(variant + ".csv"))) {
				SystemUnderTest system = new SystemUnderTest(gateway.uri(), target,
						new Started(backend, stack.services(), sampler));
				progress().step(variant + ": warming up until rate and CPU per order hold");
				Settling settling = this.smallest ? SMALLEST_SETTLING : Settling.WHOLE;
				List<WarmUpWindow> windows = system.warmUp(settling, sampler, List.copyOf(this.modes));
				if (settling.isLong()) {
					this.warmUps.put(variant.id(), windows);
				}
				system.checkAlive();
				system.clear();
				searchAll(variant.id(), system);
			}
		}
	}

	private void searchAll(String gateway, SystemUnderTest system) throws InterruptedException {
		int times = (this.smallest && !has("--repetitions")) ? 1 : this.repetitions;
		for (int repetition = 1; repetition <= times; repetition++) {
			for (Mode mode : this.modes) {
				search(gateway, mode, system);
				progress().step("%s %s: clearing backlog and backend".formatted(gateway, mode));
				system.clear();
			}
		}
	}

	/** Searches, and keeps the result. */
	private void search(String gateway, Mode mode, SystemUnderTest system) throws InterruptedException {
		String name = "%s %s".formatted(gateway, mode);
		progress().step(name + ": warming up");
		Duration limit = this.smallest ? SMALLEST_LIMIT : LIMIT;
		long start = System.nanoTime();
		long savedBefore = saved(mode, system);
		KneeSearch search = new KneeSearch(FIRST);
		List<Step> steps = new ArrayList<>();
		try (Caller client = system.client()) {
			OpenClient.run(WARM_UP, client.sending(system.orders(mode)));
			OptionalDouble rate = search.next();
			// At least one step, however long the warm-up took.
			do {
				Step step = step(rate.getAsDouble(), mode, system, client);
				steps.add(step);
				search.record(step.requestsPerSecond(), step.held());
				progress().step(String.format(Locale.ROOT, "%s: %,.0f/s %s", name, step.requestsPerSecond(),
						step.held() ? "holds" : "does not hold: " + step.missed()));
				rate = search.next();
			}
			while (rate.isPresent() && System.nanoTime() - start < limit.toNanos());
		}
		this.knees.add(new Knee(gateway, mode.label(), search.held(), search.failed(), steps,
				Duration.ofNanos(System.nanoTime() - start).toMillis()));
		if (search.held() == null) {
			checkAnySucceeded(name, steps.getLast(), mode == Mode.SYNC || system.saved() > savedBefore);
		}
	}

	/**
	 * Checks that a search without a result has found a limit, not a system that refuses
	 * all orders.
	 * @param saved whether an order was saved, or the search does not wait for that
	 * @throws LabException if no request of its last step succeeded, or none was saved
	 */
	static void checkAnySucceeded(String name, Step last, boolean saved) {
		Tally tally = last.tally();
		if (tally.sent() > 0 && (tally.succeeded() == 0 || !saved)) {
			throw new LabException(String.format(Locale.ROOT,
					"%s: of %,d orders none was %s, at no more than %,.0f/s: %s. Read the logs of the gateway, the consumer and the backend",
					name, tally.sent(), (tally.succeeded() == 0) ? "accepted" : "saved", last.requestsPerSecond(),
					last.missed()));
		}
	}

	/** Measures at a rate. */
	private Step step(double rate, Mode mode, SystemUnderTest system, Caller client) throws InterruptedException {
		// With more, the goal is certainly missed: by Little's law the mean is then three
		// times the goal.
		int most = Math.max(100, (int) Math.ceil(rate * this.goal.p99().toMillis() * 3 / 1_000));
		Duration patience = this.goal.p99().multipliedBy(3).plusSeconds(1);
		system.checkAlive();
		long savedBefore = saved(mode, system);
		// Does not wait for sync answers: requests that pile up are measured.
		Duration warmUpPatience = (mode == Mode.SYNC) ? Duration.ZERO : patience;
		OpenLoad warmUp = new OpenLoad(rate, this.smallest ? SMALLEST_STEP : STEP_WARM_UP, warmUpPatience, most);
		long warmedUp = OpenClient.run(warmUp, client.sending(system.orders(mode))).tally().succeeded();
		long savedAtStart = saved(mode, system);
		PrometheusHistogram before = (mode == Mode.QUEUED) ? system.savedTimes() : null;
		Instant from = Instant.now();
		Figures figures = OpenClient.run(new OpenLoad(rate, measured(rate), patience, most),
				client.sending(system.orders(mode)));
		Window window = new Window(from, Instant.now());
		Tally tally = figures.tally();
		long leftBehind = tally.succeeded() - (saved(mode, system) - savedAtStart);
		PrometheusHistogram saved = (before != null && system.drained(DRAIN)
				&& system.saved() >= savedBefore + warmedUp + tally.succeeded()) ? system.savedTimes().since(before)
						: null;
		return new Step(rate, figures.latency(), (saved != null) ? millis(saved.percentile(99)) : null, tally,
				figures.lag().p99AtMost(), figures.cpuMillisPerRequest(), system.foreignCpuShare(window),
				this.goal.missed(mode, tally, figures.latency(), (saved != null) ? millis(saved.p99AtMost()) : null,
						leftBehind));
	}

	/** Orders saved so far; 0 in sync mode, in which an answer says that one is saved. */
	private static long saved(Mode mode, SystemUnderTest system) throws InterruptedException {
		return (mode == Mode.QUEUED) ? system.saved() : 0;
	}

	/** A low rate is measured for longer, to have enough requests for a percentile. */
	private Duration measured(double rate) {
		long least = (this.smallest ? SMALLEST_STEP : MEASURED).toMillis();
		return Duration.ofMillis(Math.clamp(Math.round(ENOUGH / rate * 1_000), least, 2 * least));
	}

	private static @Nullable Double millis(@Nullable Double seconds) {
		return (seconds != null) ? seconds * 1_000 : null;
	}

	@Override
	protected Map<String, String> configuration() {
		return (this.deployed != null) ? this.deployed.notes() : Map.of();
	}

}
