package dev.sluice.lab.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.metrics.Exposition.Series;
import dev.sluice.lab.kit.metrics.PrometheusHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Computes figures from the services' metrics, second by second. A counter's rate is its
 * growth since the service's previous answer, divided by the time between the two; it is
 * missing if the service does not answer or has restarted. Figures of several services
 * are added up. Remembers the last {@value #WINDOW_SECONDS} seconds. Not thread-safe.
 */
final class Readings {

	/** Window of a percentile. */
	static final int WINDOW_SECONDS = 60;

	private static final String START = "process_start_time_seconds";

	private static final String CPU_NANOS = "process_cpu_time_ns_total";

	private static final String GC_SECONDS = "jvm_gc_pause_seconds_sum";

	private static final String MEMORY = "jvm_memory_used_bytes";

	private static final String THREADS = "jvm_threads_live_threads";

	private static final String LAG = "kafka_consumer_fetch_manager_records_lag";

	private static final String CIRCUIT = "resilience4j_circuitbreaker_state";

	private static final String ORDER_DURATION = "sluice_order_duration_seconds_bucket";

	private static final String ACCEPT_TO_SAVED = "sluice_accept_to_saved_seconds_bucket";

	/** Minimum time over which a rate is computed. */
	private static final long MIN_NANOS = 500_000_000;

	private static final double MEBIBYTE = 1024 * 1024;

	private static final double PERCENT = 100;

	private static final Predicate<String> WANTED = (
			name) -> (name.startsWith("sluice_") && !name.startsWith("sluice_delivery_duration"))
					|| List.of(START, CPU_NANOS, GC_SECONDS, MEMORY, THREADS, LAG, CIRCUIT).contains(name);

	/** Answers by service, the latest last. */
	private final Map<String, Deque<Scrape>> earlier = new HashMap<>();

	static Exposition parse(String text) {
		return Exposition.parse(text, WANTED);
	}

	/**
	 * The figures of a second.
	 * @param scrapes one scrape of each service, by its name
	 * @return figures by {@link Panel#id} and name
	 */
	Map<String, Map<String, Double>> next(Map<String, Scrape> scrapes) {
		Figures figures = new Figures();
		Histograms histograms = new Histograms();
		scrapes.forEach((service, scrape) -> {
			Deque<Scrape> before = this.earlier.computeIfAbsent(service, (_) -> new ArrayDeque<>());
			Exposition now = scrape.exposition();
			if (now == null) {
				return;
			}
			forget(before, scrape, now);
			gauges(service, now, figures);
			reference(before, scrape).ifPresent((last) -> rates(service, now, Objects.requireNonNull(last.exposition()),
					(scrape.nanos() - last.nanos()) / 1e9, figures));
			if (!before.isEmpty()) {
				histograms.add(now, Objects.requireNonNull(before.getFirst().exposition()));
			}
			before.addLast(scrape);
		});
		histograms.addTo(figures);
		return figures.panels();
	}

	/**
	 * The latest scrape that is old enough: after a pause of this process, two answers
	 * follow each other immediately, and their times are not exact.
	 */
	private static Optional<Scrape> reference(Deque<Scrape> before, Scrape scrape) {
		Iterator<Scrape> latestFirst = before.descendingIterator();
		while (latestFirst.hasNext()) {
			Scrape each = latestFirst.next();
			if (scrape.nanos() - each.nanos() >= MIN_NANOS) {
				return Optional.of(each);
			}
		}
		return Optional.empty();
	}

	/** Removes scrapes that are too old or of an earlier process. */
	private static void forget(Deque<Scrape> before, Scrape scrape, Exposition now) {
		Double start = now.sum(START);
		before.removeIf((each) -> scrape.nanos() - each.nanos() > (WINDOW_SECONDS + 0.5) * 1e9
				|| each.exposition() == null || !Objects.equals(each.exposition().sum(START), start));
	}

	private static void gauges(String service, Exposition now, Figures figures) {
		now.of("sluice_orders_in_flight")
			.forEach((each) -> figures.add(Panel.WAITING, "in the gateways, " + each.label("mode"), each.value()));
		figures.add(Panel.WAITING, "in Kafka",
				Exposition.sum(now.of(LAG).filter((each) -> each.label("client_id").startsWith("order-delivery"))));
		figures.add(Panel.WAITING, "pending", now.sum("sluice_delivery_pending"));
		figures.add(Panel.WAITING, "in delivery", now.sum("sluice_delivery_in_flight"));
		figures.add(Panel.CIRCUITS, service + ": backend", now.sum("sluice_circuit_open"));
		now.of(CIRCUIT)
			.filter((each) -> each.value() > 0)
			.forEach((each) -> figures.add(Panel.CIRCUITS, service + ": " + each.label("name"),
					openness(each.label("state"))));
		figures.add(Panel.STATUS_AGE, service, now.sum("sluice_projection_age"));
		Double heap = Exposition.sum(now.of(MEMORY).filter((each) -> each.label("area").equals("heap")));
		figures.add(Panel.HEAP, service, (heap != null) ? heap / MEBIBYTE : null);
		figures.add(Panel.THREADS, service, now.sum(THREADS));
	}

	private static double openness(String state) {
		return switch (state) {
			case "open", "forced_open" -> 1;
			case "half_open" -> 0.5;
			default -> 0;
		};
	}

	private static void rates(String service, Exposition now, Exposition before, double seconds, Figures figures) {
		growth(now, before, "sluice_orders_total", (each) -> each.label("mode") + " " + each.label("outcome"))
			.forEach((name, count) -> figures.add(Panel.ORDERS, name, count / seconds));
		growth(now, before, "sluice_delivery_outcomes_total", (each) -> "delivered: " + each.label("outcome"))
			.forEach((name, count) -> figures.add(Panel.DELIVERED, name, count / seconds));
		growth(now, before, "sluice_dead_letters_total", (_) -> "dead letters")
			.forEach((name, count) -> figures.add(Panel.DELIVERED, name, count / seconds));
		growth(now, before, "sluice_backend_ended_total", (each) -> "backend: " + each.label("outcome"))
			.forEach((name, count) -> figures.add(Panel.DELIVERED, name, count / seconds));
		growth(now, before, CPU_NANOS, (_) -> service)
			.forEach((name, nanos) -> figures.add(Panel.CPU, name, nanos / 1e9 / seconds));
		growth(now, before, GC_SECONDS, (_) -> service)
			.forEach((name, paused) -> figures.add(Panel.GC, name, PERCENT * paused / seconds));
	}

	/** A new series has grown from 0. */
	private static Map<String, Double> growth(Exposition now, Exposition before, String metric,
			Function<Series, String> name) {
		Map<String, Double> grown = now.of(metric)
			.collect(Collectors.toMap(name, Series::value, Double::sum, TreeMap::new));
		before.of(metric).forEach((each) -> grown.merge(name.apply(each), -each.value(), Double::sum));
		return grown;
	}

	/** Figures under construction, in the order of the panels. */
	private static final class Figures {

		private final Map<String, Map<String, Double>> panels = new LinkedHashMap<>();

		Figures() {
			Stream.of(Panel.values()).forEach((panel) -> this.panels.put(panel.id(), new TreeMap<>()));
		}

		void add(Panel panel, String name, @Nullable Double value) {
			if (value != null && Double.isFinite(value)) {
				Objects.requireNonNull(this.panels.get(panel.id())).merge(name, value, Double::sum);
			}
		}

		Map<String, Map<String, Double>> panels() {
			return this.panels;
		}

	}

	/** Sums the histograms of all services over the window. */
	private static final class Histograms {

		private final Map<String, List<PrometheusHistogram>> parts = new TreeMap<>();

		void add(Exposition now, Exposition before) {
			for (String mode : List.of("sync", "queued")) {
				add(mode, now, before, ORDER_DURATION, (each) -> each.label("mode").equals(mode));
			}
			add("saved", now, before, ACCEPT_TO_SAVED, (_) -> true);
		}

		private void add(String name, Exposition now, Exposition before, String metric, Predicate<Series> filter) {
			this.parts.computeIfAbsent(name, (_) -> new ArrayList<>())
				.add(histogram(now, metric, filter).since(histogram(before, metric, filter)));
		}

		private static PrometheusHistogram histogram(Exposition exposition, String metric, Predicate<Series> filter) {
			return new PrometheusHistogram(exposition.of(metric)
				.filter(filter)
				.collect(Collectors.toMap((bucket) -> Exposition.number(bucket.label("le")), Series::value,
						Double::sum)));
		}

		void addTo(Figures figures) {
			this.parts.forEach((name, each) -> {
				Map<Double, Double> counts = new TreeMap<>();
				each.forEach(
						(part) -> part.counts().forEach((bound, count) -> counts.merge(bound, count, Double::sum)));
				Double seconds = new PrometheusHistogram(counts).percentile(99);
				figures.add(Panel.P99, name, (seconds != null) ? Math.min(seconds, greatest(counts)) * 1_000 : null);
			});
		}

		/** The last finite bound, which stands for all greater values. */
		private static double greatest(Map<Double, Double> counts) {
			return counts.keySet().stream().filter(Double::isFinite).mapToDouble(Double::doubleValue).max().orElse(0);
		}

	}

}
