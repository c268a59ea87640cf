package dev.sluice.lab.kit.measure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.Limit.Use;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes.Scrape;
import dev.sluice.lab.kit.process.ProcessSamples;
import org.jspecify.annotations.Nullable;

/**
 * How busy processes and limits were in a window.
 *
 * @param samples of the processes
 * @param scrapes scrapes of the services, by name
 * @param cores processors of the machine
 */
record UtilisationEvaluation(ProcessSamples samples, Map<String, Scrapes> scrapes, int cores) {

	private static final String DURATION_SUM = "sluice_backend_duration_seconds_sum";

	private static final String DURATION_COUNT = "sluice_backend_duration_seconds_count";

	private static final String IN_FLIGHT = "sluice_backend_in_flight";

	/** All processes that are not sampled one by one. */
	static final String OTHERS = "other processes";

	/** A limit that was never used to this share is left out. */
	private static final double NOTABLE = 0.5;

	/** If more than this share of the machine's CPU is used, threads wait for it. */
	static final double BUSY = 0.90;

	/** A limit that was reached in this share of the scrapes is the bottleneck. */
	static final double MOSTLY = 0.5;

	/** Share of limit divided by latency. */
	static final double EXPLAINS = 0.8;

	/** Share of the client's calls in flight. */
	static final double HELD = 0.8;

	/**
	 * The client's calls.
	 *
	 * @param inFlight average number of calls in flight
	 * @param millis average time that one took
	 * @param waitForBackend whether a call is answered only after the backend's answer
	 */
	record Calls(double inFlight, double millis, boolean waitForBackend) {
	}

	/** The metrics it needs. */
	static Set<String> names() {
		Set<String> names = new TreeSet<>(Limit.names());
		names.addAll(List.of(DURATION_SUM, DURATION_COUNT, IN_FLIGHT));
		return names;
	}

	/**
	 * Evaluates, without saying the window's bottleneck.
	 * @param processes processes to report, by their name in the samples
	 */
	Utilisation in(Window window, List<String> processes) {
		Map<String, ProcessUse> loads = new LinkedHashMap<>();
		for (String process : processes) {
			loads.put(process,
					new ProcessUse(this.samples.cpuShare(process, window), this.samples.jitShare(process, window)));
		}
		Double foreign = this.samples.foreignCpuShare(window, this.cores);
		if (foreign != null) {
			loads.put(OTHERS, new ProcessUse(foreign * this.cores, null));
		}
		Double millis = backendMillis(window);
		return new Utilisation(this.samples.busyShare(window, this.cores), loads, limits(window), millis,
				backendInFlight(window), ceiling(window, millis), null);
	}

	private List<LimitUse> limits(Window window) {
		List<LimitUse> limits = new ArrayList<>();
		this.scrapes.forEach((service, scrapes) -> {
			for (Limit limit : Limit.values()) {
				List<Use> uses = uses(limit, scrapes, window);
				if (uses.stream().anyMatch((use) -> use.used() >= use.limit() * NOTABLE)) {
					limits.add(new LimitUse(service, limit.what(), greatest(uses),
							uses.stream().mapToDouble(Use::used).average().orElseThrow(),
							(double) uses.stream().filter(limit::isReached).count() / uses.size()));
				}
			}
		});
		return limits;
	}

	private static List<Use> uses(Limit limit, Scrapes scrapes, Window window) {
		return scrapes.in(window).stream().map((scrape) -> limit.in(scrape.values())).filter(Objects::nonNull).toList();
	}

	private static double greatest(List<Use> uses) {
		return uses.stream().mapToDouble(Use::limit).max().orElseThrow();
	}

	/** The time that the backend measures itself, including the wait for a worker. */
	private @Nullable Double backendMillis(Window window) {
		List<Scrape> scrapes = all(window, DURATION_COUNT);
		if (scrapes.size() < 2) {
			return null;
		}
		double count = growth(scrapes, DURATION_COUNT);
		return (count > 0) ? growth(scrapes, DURATION_SUM) * 1_000 / count : null;
	}

	private static double growth(List<Scrape> scrapes, String name) {
		Double first = scrapes.getFirst().values().sum(name);
		Double last = scrapes.getLast().values().sum(name);
		return (first != null && last != null) ? last - first : 0;
	}

	private @Nullable Double backendInFlight(Window window) {
		OptionalDouble mean = all(window, IN_FLIGHT).stream()
			.map((scrape) -> scrape.values().sum(IN_FLIGHT))
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue)
			.average();
		return mean.isPresent() ? mean.getAsDouble() : null;
	}

	private List<Scrape> all(Window window, String name) {
		return this.scrapes.values()
			.stream()
			.flatMap((scrapes) -> scrapes.in(window).stream())
			.filter((scrape) -> scrape.values().sum(name) != null)
			.toList();
	}

	/**
	 * The ceiling of the service that delivers in this window: the one with most calls at
	 * the backend.
	 */
	private @Nullable Double ceiling(Window window, @Nullable Double millis) {
		if (millis == null || millis <= 0) {
			return null;
		}
		double most = 0;
		Double limit = null;
		for (Scrapes scrapes : this.scrapes.values()) {
			for (Limit calls : List.of(Limit.BACKEND_CALLS, Limit.DELIVERY)) {
				List<Use> uses = uses(calls, scrapes, window);
				double used = uses.stream().mapToDouble(Use::used).average().orElse(0);
				if (used > most) {
					most = used;
					limit = greatest(uses);
				}
			}
		}
		return (limit != null) ? limit * 1_000 / millis : null;
	}

	/**
	 * The bottleneck of a cell: the first of these rules that holds.
	 * <ol>
	 * <li>The load generator began late, by more than the median latency of the calls.
	 * <li>A share of {@link #BUSY} or more of the machine's CPU was used, and no limit on
	 * the calls to the backend explains the rate: that is, the rate is below
	 * {@link #EXPLAINS} of limit divided by latency. A limit is also reached when
	 * everything is slow.
	 * <li>A limit was reached in at least {@link #MOSTLY} of the scrapes; if there are
	 * several, the one reached most.
	 * <li>A share of {@link #BUSY} or more of the machine's CPU was used.
	 * <li>The backend held {@link #HELD} or more of the calls that wait for it.
	 * <li>No limit was reached.
	 * </ol>
	 * @param utilisation utilisation of the cell
	 * @param perSecond rate of the cell
	 * @param generator what the load generator lacked; null if it lacked nothing
	 * @param calls the client's
	 * @param cores cores of the machine
	 * @return null if too little is known
	 */
	static @Nullable Bottleneck bottleneck(Utilisation utilisation, double perSecond, @Nullable Bottleneck generator,
			Calls calls, int cores) {
		if (generator != null) {
			return generator;
		}
		Double busy = utilisation.busyShare();
		Optional<LimitUse> reached = reached(utilisation.limits());
		if (busy == null) {
			// If the use of the machine's CPU is not known, only a limit can be found.
			return reached.map(UtilisationEvaluation::limit).orElse(null);
		}
		Double ceiling = utilisation.ceilingPerSecond();
		boolean explained = ceiling != null && perSecond >= EXPLAINS * ceiling;
		if (busy >= BUSY && !(explained && reached.isPresent())) {
			return cpu(busy, utilisation.processes(), cores);
		}
		if (reached.isPresent()) {
			return limit(reached.get());
		}
		Double held = utilisation.backendInFlight();
		Double millis = utilisation.backendMillis();
		if (held != null && millis != null && calls.waitForBackend() && held >= HELD * calls.inFlight()) {
			return new Bottleneck.BackendLatency(held, millis);
		}
		return new Bottleneck.InFlight(calls.inFlight(), calls.millis(), busy);
	}

	private static Optional<LimitUse> reached(List<LimitUse> limits) {
		return limits.stream()
			.filter((limit) -> limit.share() >= MOSTLY)
			.max(Comparator.comparingDouble(LimitUse::share));
	}

	private static Bottleneck limit(LimitUse limit) {
		return new Bottleneck.Limit(limit.service(), limit.what(), limit.limit(), limit.share());
	}

	private static Bottleneck cpu(double busy, Map<String, Utilisation.ProcessUse> processes, int cores) {
		return processes.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().cores() != null)
			.max(Comparator.comparingDouble((entry) -> Objects.requireNonNull(entry.getValue().cores())))
			.map((most) -> new Bottleneck.Cpu(busy, most.getKey(),
					Objects.requireNonNull(most.getValue().cores()) / cores))
			.orElseGet(() -> new Bottleneck.Cpu(busy, "processes that were not sampled", busy));
	}

}
