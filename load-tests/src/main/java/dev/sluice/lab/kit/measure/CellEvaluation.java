package dev.sluice.lab.kit.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.GcLog.Pause;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.measure.OrderCalls.OrderTimes;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes;
import dev.sluice.lab.kit.measure.UtilisationEvaluation.Calls;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Outcome;
import dev.sluice.lab.kit.process.ProcessSamples;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates cells that have ended from what was recorded until then.
 *
 * @param samples of the processes
 * @param collectors logs of the JVMs' collectors, by service
 * @param scrapes the services' {@link #metrics}, by service
 * @param services names of all services in the samples
 * @param cores processors of the machine
 */
public record CellEvaluation(ProcessSamples samples, Map<String, GcLog> collectors, Map<String, Scrapes> scrapes,
		List<String> services, int cores) {

	/** The load generator's name in the samples. */
	public static final String LOAD_GENERATOR = "load-generator";

	/** This process's name in the samples. */
	public static final String LAB = "lab";

	private static final Duration FOREIGN_WINDOW = Duration.ofSeconds(1);

	/**
	 * A cell's result.
	 * @param cell the cell
	 * @param outcome how it ended
	 * @param calls its calls
	 * @param times of its orders
	 */
	public CellResult evaluate(Cell cell, Outcome outcome, OrderCalls calls, OrderTimes times) {
		List<Call> answered = calls.answered();
		long saved = outcome.audit().saved();
		Instant lastSaved = outcome.audit().lastSavedAt();
		Instant start = calls.start(outcome.endedAt());
		Instant end = (saved >= outcome.placed() && lastSaved != null) ? lastSaved : outcome.endedAt();
		// The clocks of this machine's processes may differ by a little.
		Window window = new Window(start, end.isBefore(start) ? start : end);
		return new CellResult(cell, window.start(), window.end(), calls.calls().size(),
				calls.calls().size() - answered.size(), calls.failures(), answered.size(), saved,
				perSecond(saved, window), acceptedPerSecond(start, answered), Timing.of(calls.answeredMicros()),
				times.toAccepted(), times.toSaved(),
				this.services.stream()
					.collect(Collectors.toMap((service) -> service, (service) -> cost(service, window, saved))),
				outcome.audit().connectionsOpened(), outcome.audit().maxInFlight(), foreignCpuShare(window),
				outcome.startLagP99Millis(), problem(outcome, answered.size(), window),
				utilisation(cell, outcome, window, calls, saved));
	}

	/**
	 * The share of the machine's CPU that other processes used, 0 to 1, in the window or,
	 * if that is shorter, in the second around it; null if it is not known.
	 */
	@Nullable Double foreignCpuShare(Window window) {
		return this.samples.foreignCpuShare(widened(window), this.cores);
	}

	/** The names of the metrics that are evaluated. */
	public static Set<String> metrics() {
		return UtilisationEvaluation.names();
	}

	private Utilisation utilisation(Cell cell, Outcome outcome, Window window, OrderCalls all, long saved) {
		Utilisation utilisation = new UtilisationEvaluation(this.samples, this.scrapes, this.cores).in(window,
				this.services);
		double millis = all.calls().stream().mapToLong(Call::millis).sum();
		double seconds = Math.max(window.seconds(), 0.001);
		Calls calls = new Calls(millis / 1_000 / seconds, all.calls().isEmpty() ? 0 : millis / all.calls().size(),
				Mode.of(cell.mode()) == Mode.SYNC);
		Timing latency = Timing.of(all.answeredMicros());
		boolean late = CellResult.isLagged(outcome.startLagP99Millis(), latency);
		return utilisation.withBottleneck(UtilisationEvaluation.bottleneck(utilisation, saved / seconds,
				late ? new Bottleneck.Generator(outcome.startLagP99Millis()) : null, calls, this.cores));
	}

	private static double perSecond(long orders, Window window) {
		return (window.seconds() > 0) ? orders / window.seconds() : 0;
	}

	private static double acceptedPerSecond(Instant start, List<Call> answered) {
		Instant end = answered.stream().map(Call::end).max(Instant::compareTo).orElse(start);
		return perSecond(answered.size(), new Window(start, end.isBefore(start) ? start : end));
	}

	private static Window widened(Window window) {
		Duration missing = FOREIGN_WINDOW.minus(window.length());
		if (missing.isNegative()) {
			return window;
		}
		return new Window(window.start().minus(missing.dividedBy(2)), window.end().plus(missing.dividedBy(2)));
	}

	private @Nullable String problem(Outcome outcome, long answered, Window window) {
		List<String> problems = new ArrayList<>();
		long saved = outcome.audit().saved();
		long placed = outcome.placed();
		if (saved < placed) {
			problems
				.add("%s of %s orders were not saved when the cell's time was over".formatted(placed - saved, placed));
		}
		if (saved > placed) {
			problems.add("the backend saved %s orders more than were placed: orders of an earlier cell"
				.formatted(saved - placed));
		}
		if (answered != outcome.accepted()) {
			problems.add("the notes have %s orders accepted, the load generator counted %s".formatted(answered,
					outcome.accepted()));
		}
		List<String> unknown = this.services.stream()
			.filter((service) -> ProcessSamples.isLongEnough(window))
			.filter((service) -> this.samples.cpuMillis(service, window) == null)
			.toList();
		if (!unknown.isEmpty()) {
			problems.add("the CPU time of %s is not known".formatted(String.join(", ", unknown)));
		}
		this.scrapes.forEach((service, own) -> {
			if (!own.cover(window)) {
				problems.add("the metrics of %s were scraped %s times in %s s".formatted(service, own.in(window).size(),
						Math.round(window.seconds())));
			}
		});
		return problems.isEmpty() ? null : String.join("; ", problems);
	}

	/** The resources that a service used for so many orders. */
	private ServiceCost cost(String service, Window window, long orders) {
		Double cpuMillis = this.samples.cpuMillis(service, window);
		GcLog collector = this.collectors.get(service);
		Integer threads = this.samples.peakThreads(service, window);
		Long rss = this.samples.peakRssBytes(service, window);
		if (collector == null) {
			return new ServiceCost(per(cpuMillis, orders), null, null, null, threads, rss);
		}
		List<Pause> pauses = collector.in(window);
		return new ServiceCost(per(cpuMillis, orders), pauses.size(), pauses.stream().mapToDouble(Pause::millis).sum(),
				pauses.stream().mapToDouble(Pause::millis).max().orElse(0), threads, rss);
	}

	private static @Nullable Double per(@Nullable Double amount, long saved) {
		return (amount != null && saved > 0) ? amount / saved : null;
	}

}
