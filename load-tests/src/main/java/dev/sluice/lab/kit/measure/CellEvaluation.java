package dev.sluice.lab.kit.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.measure.JfrRecording.Pause;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.result.Cell;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.CellResult.Second;
import dev.sluice.lab.kit.result.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what was recorded of a whole round to its cells.
 *
 * @param log the load generator's calls
 * @param samples of the processes
 * @param recordings of the JVMs that were recorded, by service
 * @param pools open connections to the backend, by the service whose they are
 * @param services the names of all services, as the samples know them
 * @param gateway the one whose seconds are told
 * @param cores processors of the machine
 */
public record CellEvaluation(GatlingLog log, ProcessSamples samples, Map<String, JfrRecording> recordings,
		Map<String, ScrapedGauge> pools, List<String> services, String gateway, int cores) {

	private static final Duration FOREIGN_WINDOW = Duration.ofSeconds(1);

	private static final Pattern STATUS = Pattern.compile("found (\\d{3})\\b");

	private static final int MAX_FAILURE_LENGTH = 80;

	/**
	 * A cell's result.
	 * @param cell which
	 * @param outcome what the load generator noted at its end, under the name its
	 * requests have in the log
	 */
	public CellResult evaluate(Cell cell, PhaseOutcome outcome) {
		List<Request> requests = this.log.requests()
			.stream()
			.filter((request) -> request.name().equals(outcome.name()))
			.toList();
		List<Request> answered = requests.stream().filter(Request::ok).toList();
		long saved = outcome.audit().saved();
		Instant lastSaved = outcome.audit().lastSavedAt();
		Instant start = requests.stream().map(Request::start).min(Instant::compareTo).orElse(outcome.endedAt());
		Instant end = (saved >= cell.orders() && lastSaved != null) ? lastSaved : outcome.endedAt();
		// The log has whole milliseconds: the backend may have saved within the first.
		Window window = new Window(start, end.isBefore(start) ? start : end);
		return new CellResult(cell, window.start(), window.end(), requests.size(), requests.size() - answered.size(),
				failures(requests), answered.size(), saved, perMinute(saved, window),
				Latencies.of(answered.stream().mapToLong(Request::millis).toArray()), costs(window, saved),
				outcome.audit().connectionsOpened(), outcome.audit().maxInFlight(), foreignCpuShare(window),
				outcome.startLagP99Millis(), problem(cell, outcome, answered.size(), window),
				seconds(window, requests));
	}

	/**
	 * The share of the machine's CPU in other hands, 0 to 1, in the window or, where that
	 * is shorter, in the second around it; null if it is not known.
	 */
	public @Nullable Double foreignCpuShare(Window window) {
		return this.samples.foreignCpuShare(widened(window), this.cores);
	}

	private static double perMinute(long saved, Window window) {
		return (window.seconds() > 0) ? saved / window.seconds() * 60 : 0;
	}

	private static Window widened(Window window) {
		Duration missing = FOREIGN_WINDOW.minus(window.length());
		if (missing.isNegative()) {
			return window;
		}
		return new Window(window.start().minus(missing.dividedBy(2)), window.end().plus(missing.dividedBy(2)));
	}

	/** Failed calls by what they failed of. */
	public static Map<String, Long> failures(List<Request> requests) {
		return requests.stream()
			.filter((request) -> !request.ok())
			.collect(Collectors.groupingBy((request) -> failure(request.message()), TreeMap::new,
					Collectors.counting()));
	}

	/** The status in the message of a failed check, or the message itself. */
	public static String failure(String message) {
		Matcher status = STATUS.matcher(message);
		if (status.find()) {
			return "HTTP " + status.group(1);
		}
		return message.substring(0, Math.min(message.length(), MAX_FAILURE_LENGTH));
	}

	private @Nullable String problem(Cell cell, PhaseOutcome outcome, long answered, Window window) {
		List<String> problems = new ArrayList<>();
		long saved = outcome.audit().saved();
		if (saved < cell.orders()) {
			problems.add("%,d of %,d orders were not saved when the run gave up".formatted(cell.orders() - saved,
					cell.orders()));
		}
		if (saved > cell.orders()) {
			problems.add("the backend saved %,d orders more than were placed: orders of an earlier cell"
				.formatted(saved - cell.orders()));
		}
		if (answered != outcome.accepted()) {
			problems.add("the log has %,d orders accepted, the load generator counted %,d".formatted(answered,
					outcome.accepted()));
		}
		String failure = this.samples.failure(widened(window));
		if (failure != null) {
			problems.add("what the processes used could not be sampled: " + failure);
		}
		return problems.isEmpty() ? null : String.join("; ", problems);
	}

	private Map<String, ServiceCost> costs(Window window, long saved) {
		Map<String, ServiceCost> costs = new LinkedHashMap<>();
		for (String service : this.services) {
			costs.put(service, cost(service, window, saved));
		}
		return costs;
	}

	/**
	 * What a service spent.
	 * @param orders what its figures for an order are divided by
	 */
	public ServiceCost cost(String service, Window window, long orders) {
		Long cpuMillis = this.samples.cpuMillis(service, window);
		JfrRecording recording = this.recordings.get(service);
		Integer threads = this.samples.peakThreads(service, window);
		Long rss = this.samples.peakRssBytes(service, window);
		Integer connections = this.samples.peakConnections(service, window);
		Integer pooled = pooled(service, window);
		if (recording == null) {
			return new ServiceCost(per(cpuMillis, orders), null, null, null, null, null, threads, rss, connections,
					pooled);
		}
		List<Pause> pauses = recording.pausesIn(window);
		return new ServiceCost(per(cpuMillis, orders), per(recording.allocatedIn(window), orders),
				per(recording.promotedIn(window), orders), pauses.size(),
				pauses.stream().mapToDouble(Pause::millis).sum(),
				pauses.stream().mapToDouble(Pause::millis).max().orElse(0), threads, rss, connections, pooled);
	}

	private @Nullable Integer pooled(String service, Window window) {
		ScrapedGauge pool = this.pools.get(service);
		return (pool != null) ? pool.mostIn(window) : null;
	}

	private static @Nullable Double per(@Nullable Long amount, long saved) {
		return (amount != null && saved > 0) ? (double) amount / saved : null;
	}

	/** What ended in the moment after the last save belongs to the last second. */
	private List<Second> seconds(Window window, List<Request> requests) {
		int count = window.secondCount();
		Map<Integer, List<Request>> bySecond = requests.stream()
			.collect(Collectors.groupingBy((request) -> Math.clamp(window.secondOf(request.end()), 0, count - 1)));
		List<Second> seconds = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Window second = new Window(window.start().plusSeconds(i), window.start().plusSeconds(i + 1L));
			seconds.add(second(i, second, bySecond.getOrDefault(i, List.of())));
		}
		return seconds;
	}

	private Second second(int number, Window second, List<Request> ended) {
		long[] answered = ended.stream().filter(Request::ok).mapToLong(Request::millis).sorted().toArray();
		Double p99 = (answered.length > 0) ? (double) Latencies.percentile(answered, 99) : null;
		JfrRecording recording = this.recordings.get(this.gateway);
		double pauseMillis = (recording != null) ? recording.pausesIn(second).stream().mapToDouble(Pause::millis).sum()
				: 0;
		Long heap = (recording != null) ? recording.heapUsedAt(second.end()) : null;
		ScrapedGauge pool = this.pools.get(this.gateway);
		return new Second(number, answered.length, ended.size() - answered.length, p99, pauseMillis,
				this.samples.peakThreads(this.gateway, second), heap, this.samples.cpuShare(this.gateway, second),
				this.samples.connectionsAt(this.gateway, second.end()),
				(pool != null) ? pool.lastAt(second.end()) : null);
	}

}
