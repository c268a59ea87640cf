package dev.sluice.lab.knee;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.metrics.PrometheusHistogram;
import dev.sluice.lab.kit.statistics.Window;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.load.WarmUpWatch;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Access;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.knee.SystemUnderTest.Started;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest rate of each variant and mode, in an open model. Each step
 * offers a rate, first as warm-up and then measured, and waits until the accepted orders
 * have arrived.
 */
final class KneeExperiment extends Experiment {

	static final String NAME = "knee";

	private static final double FIRST = 400;

	/** Opens the client's connections, and lets the effects of the last search fade. */
	private static final OpenLoad WARM_UP = new OpenLoad(300, Duration.ofSeconds(5), Duration.ofSeconds(5), 500);

	private static final Duration DRAIN = Duration.ofSeconds(15);

	/** Number of requests that is enough for a 99th percentile. */
	private static final double ENOUGH = 1_000;

	/** As in a comparison, so that this setting does not limit the queued mode. */
	private static final int DELIVERY_CONCURRENCY = 1_000;

	private final Settings settings;

	private final List<Knee> knees = new ArrayList<>();

	/** By variant. */
	private final Map<String, List<WarmUpWindow>> warmUps = new TreeMap<>();

	/**
	 * The chosen settings.
	 *
	 * @param warmUp length of each step's warm-up
	 * @param measured length of each step's measurement
	 * @param limit time limit of one search of a variant and mode
	 * @param settling rule for when a variant's services are warm, before its first
	 * search
	 * @param repetitions number of searches of each variant and mode
	 * @param target system whose gateways are measured instead of variants; null to start
	 * a system
	 */
	record Settings(List<Variant> variants, List<Mode> modes, Goal goal, Duration warmUp, Duration measured,
			Duration limit, Settling settling, int repetitions, @Nullable Target target) {
	}

	KneeExperiment(Run run, Infrastructure infrastructure, Settings settings) {
		super(NAME, run, infrastructure);
		this.settings = settings;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.settings.target() != null) {
			searchAll(this.settings.target());
			return;
		}
		try (Stack stack = stack(); HttpClient http = Http.client(Duration.ofSeconds(5))) {
			searchAll(stack, http);
		}
	}

	@Override
	protected Finding finding() {
		return new KneeResult(this.settings.goal().toString(), (this.settings.target() != null) ? "the target's own"
				: "50 ms for an order; any number of orders at once", this.knees);
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

	private void searchAll(Stack stack, HttpClient http) throws IOException, InterruptedException {
		progress().step("Starting Kafka, PostgreSQL, the backend and the consumer");
		Stack.inParallel(List.of(stack::startInfrastructure, () -> stack.startBackend(ServiceOptions.NONE), () -> stack
			.startConsumer(ServiceOptions.NONE.withProperty("delivery.concurrency", DELIVERY_CONCURRENCY))));
		Map<String, URI> metrics = stack.services()
			.stream()
			.filter((service) -> service.module() == Module.CONSUMER)
			.collect(Collectors.toMap((_) -> Target.CONSUMER, Service::metrics));
		BackendControl backend = new BackendControl(http, stack.uri(Module.BACKEND));
		backend.behave(BackendModel.UNLIMITED.behaviour());
		for (Variant variant : this.settings.variants()) {
			try (Service gateway = stack.startGateway(variant, ServiceOptions.NONE);
					TargetSystem target = new TargetSystem(
							new Target(Map.of(variant.id(), gateway.uri()), metrics, Access.OPEN));
					ProcessSampler sampler = new ProcessSampler(stack.processes(),
							directory().directory("samples").resolve(variant + ".csv"))) {
				SystemUnderTest system = new SystemUnderTest(gateway.uri(), target,
						new Started(backend, stack.services(), sampler));
				progress().step(variant + ": warming up until rate and CPU per order hold");
				List<WarmUpWindow> windows = system.warmUp(this.settings.settling(), this.settings.modes());
				if (this.settings.settling().isLong()) {
					this.warmUps.put(variant.id(), windows);
				}
				system.checkAlive();
				system.clear();
				searchAll(variant.id(), system);
			}
		}
	}

	private void searchAll(String gateway, SystemUnderTest system) throws InterruptedException {
		for (int repetition = 1; repetition <= this.settings.repetitions(); repetition++) {
			for (Mode mode : this.settings.modes()) {
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
		long start = System.nanoTime();
		long savedBefore = saved(mode, system);
		KneeSearch search = new KneeSearch(FIRST);
		List<Step> steps = new ArrayList<>();
		try (OpenClient client = system.client()) {
			client.run(WARM_UP, system.orders(mode));
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
			while (rate.isPresent() && System.nanoTime() - start < this.settings.limit().toNanos());
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
	private Step step(double rate, Mode mode, SystemUnderTest system, OpenClient client) throws InterruptedException {
		Goal goal = this.settings.goal();
		// With more, the goal is certainly missed: by Little's law the mean is then three
		// times the goal.
		int most = Math.max(100, (int) Math.ceil(rate * goal.p99().toMillis() * 3 / 1_000));
		Duration patience = goal.p99().multipliedBy(3).plusSeconds(1);
		system.checkAlive();
		long savedBefore = saved(mode, system);
		// Does not wait for sync answers: requests that pile up are measured.
		Duration warmUpPatience = switch (mode) {
			case SYNC -> Duration.ZERO;
			case QUEUED -> patience;
		};
		OpenLoad warmUp = new OpenLoad(rate, this.settings.warmUp(), warmUpPatience, most);
		long accepted = client.run(warmUp, system.orders(mode)).tally().succeeded();
		long waiting = accepted - (saved(mode, system) - savedBefore);
		PrometheusHistogram before = (mode == Mode.QUEUED) ? system.savedTimes() : null;
		Instant from = Instant.now();
		Figures figures = client.run(new OpenLoad(rate, measured(rate), patience, most), system.orders(mode));
		Window window = new Window(from, Instant.now());
		long all = savedBefore + accepted + figures.tally().succeeded();
		long leftBehind = all - saved(mode, system) - waiting;
		PrometheusHistogram saved = (before != null && system.drained(DRAIN) && system.saved() >= all)
				? system.savedTimes().since(before) : null;
		return new Step(rate, figures.latency(), (saved != null) ? millis(saved.percentile(99)) : null, figures.tally(),
				figures.lag().p99AtMost(), figures.cpuMillisPerRequest(), system.foreignCpuShare(window),
				goal.missed(mode, figures.tally(), figures.latency(),
						(saved != null) ? millis(saved.p99AtMost()) : null, leftBehind));
	}

	/** Orders saved so far; 0 in sync mode, in which an answer says that one is saved. */
	private static long saved(Mode mode, SystemUnderTest system) throws InterruptedException {
		return (mode == Mode.QUEUED) ? system.saved() : 0;
	}

	/** A low rate is measured for longer, to have enough requests for a percentile. */
	private Duration measured(double rate) {
		long least = this.settings.measured().toMillis();
		return Duration.ofMillis(Math.clamp(Math.round(ENOUGH / rate * 1_000), least, 2 * least));
	}

	private static @Nullable Double millis(@Nullable Double seconds) {
		return (seconds != null) ? seconds * 1_000 : null;
	}

	@Override
	protected Map<String, String> configuration() {
		return (this.settings.target() != null) ? this.settings.target().notes() : Map.of();
	}

}
