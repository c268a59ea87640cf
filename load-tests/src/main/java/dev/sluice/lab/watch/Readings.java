package dev.sluice.lab.watch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import dev.sluice.lab.kit.measure.Exposition;
import dev.sluice.lab.kit.measure.Exposition.Series;
import dev.sluice.lab.kit.measure.PrometheusHistogram;
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

	private static final String ORDER_DURATION = "sluice_order_duration_seconds_bucket";

	private static final String ACCEPT_TO_SAVED = "sluice_accept_to_saved_seconds_bucket";

	private static final List<Source> SOURCES = List.of(
			rate("orders", "sluice_orders_total", (_, each) -> each.label("mode") + " " + each.label("outcome")),
			gauge("waiting", "sluice_orders_in_flight", (_, each) -> "in the gateways, " + each.label("mode")),
			gauge("waiting", "kafka_consumer_fetch_manager_records_lag",
					(_, each) -> each.label("client_id").startsWith("order-delivery") ? "in Kafka" : null),
			gauge("waiting", "sluice_delivery_pending", (_, _) -> "pending"),
			gauge("waiting", "sluice_delivery_in_flight", (_, _) -> "in delivery"),
			rate("delivered", "sluice_delivery_outcomes_total", (_, each) -> "delivered: " + each.label("outcome")),
			rate("delivered", "sluice_dead_letters_total", (_, _) -> "dead letters"),
			rate("delivered", "sluice_backend_ended_total", (_, each) -> "backend: " + each.label("outcome")),
			gauge("circuits", "sluice_circuit_open", (service, _) -> service + ": backend"),
			gauge("circuits", "resilience4j_circuitbreaker_state",
					(service, each) -> (each.value() > 0) ? service + ": " + each.label("name") : null)
				.as((each) -> openness(each.label("state"))),
			gauge("status-age", "sluice_projection_age", (service, _) -> service),
			rate("cpu", "process_cpu_time_ns_total", (service, _) -> service).as((each) -> each.value() / 1e9),
			rate("gc", "jvm_gc_pause_seconds_sum", (service, _) -> service).as((each) -> each.value() * 100),
			gauge("heap", "jvm_memory_used_bytes",
					(service, each) -> each.label("area").equals("heap") ? service : null)
				.as((each) -> each.value() / (1024 * 1024)),
			gauge("threads", "jvm_threads_live_threads", (service, _) -> service));

	/** Answers by service, the latest last. */
	private final Map<String, Deque<Scrape>> earlier = new HashMap<>();

	/**
	 * A service's answer.
	 *
	 * @param nanos time of the answer, by {@link System#nanoTime()}
	 */
	record Scrape(long nanos, Exposition metrics) {
	}

	/**
	 * The lines of a chart that come from one metric.
	 *
	 * @param panel its name in {@code watch.js}
	 * @param rate whether the line shows the metric's growth per second
	 * @param name of the line, by service and series; null if the series is not shown
	 * @param value of a series, in the panel's unit
	 */
	private record Source(String panel, String metric, boolean rate, BiFunction<String, Series, @Nullable String> name,
			ToDoubleFunction<Series> value) {

		Source as(ToDoubleFunction<Series> converted) {
			return new Source(this.panel, this.metric, this.rate, this.name, converted);
		}

		/** The values by line. */
		Map<String, Double> of(String service, Exposition metrics) {
			Map<String, Double> lines = new TreeMap<>();
			metrics.of(this.metric).filter((each) -> Double.isFinite(each.value())).forEach((each) -> {
				String line = this.name.apply(service, each);
				if (line != null) {
					lines.merge(line, this.value.applyAsDouble(each), Double::sum);
				}
			});
			return lines;
		}

	}

	private static Source rate(String panel, String metric, BiFunction<String, Series, @Nullable String> name) {
		return new Source(panel, metric, true, name, Series::value);
	}

	private static Source gauge(String panel, String metric, BiFunction<String, Series, @Nullable String> name) {
		return new Source(panel, metric, false, name, Series::value);
	}

	private static double openness(String state) {
		return switch (state) {
			case "open", "forced_open" -> 1;
			case "half_open" -> 0.5;
			default -> 0;
		};
	}

	static Exposition parse(String text) {
		return Exposition.parse(text, (name) -> List.of(START, ORDER_DURATION, ACCEPT_TO_SAVED).contains(name)
				|| SOURCES.stream().anyMatch((source) -> source.metric().equals(name)));
	}

	/** A second's figures by panel and name, from the answers by service. */
	Map<String, Map<String, Double>> next(Map<String, Scrape> answers) {
		Map<String, Map<String, Double>> figures = new TreeMap<>();
		Map<String, Map<Double, Double>> durations = new TreeMap<>();
		answers.forEach((service, now) -> {
			Deque<Scrape> before = this.earlier.computeIfAbsent(service, (_) -> new ArrayDeque<>());
			before.removeIf((each) -> now.nanos() - each.nanos() > (WINDOW_SECONDS + 0.5) * 1e9
					|| !Objects.equals(each.metrics().sum(START), now.metrics().sum(START)));
			for (Source source : SOURCES) {
				Map<String, Double> lines = source.rate() ? rates(source, service, now, before.peekLast())
						: source.of(service, now.metrics());
				Map<String, Double> panel = figures.computeIfAbsent(source.panel(), (_) -> new TreeMap<>());
				lines.forEach((name, value) -> panel.merge(name, value, Double::sum));
			}
			if (!before.isEmpty()) {
				count(durations, now.metrics(), 1);
				count(durations, before.getFirst().metrics(), -1);
			}
			before.addLast(now);
		});
		durations.forEach((name, counts) -> p99Millis(counts)
			.ifPresent((millis) -> figures.computeIfAbsent("p99", (_) -> new TreeMap<>()).put(name, millis)));
		return figures;
	}

	/** The growth per second by line. A new series has grown from 0. */
	private static Map<String, Double> rates(Source source, String service, Scrape now, @Nullable Scrape before) {
		if (before == null) {
			return Map.of();
		}
		double seconds = (now.nanos() - before.nanos()) / 1e9;
		Map<String, Double> grown = source.of(service, now.metrics());
		source.of(service, before.metrics()).forEach((name, value) -> grown.merge(name, -value, Double::sum));
		grown.replaceAll((_, value) -> value / seconds);
		return grown;
	}

	/** Adds the counts of the histograms' buckets, by line and bound. */
	private static void count(Map<String, Map<Double, Double>> durations, Exposition metrics, int sign) {
		Stream.concat(metrics.of(ORDER_DURATION), metrics.of(ACCEPT_TO_SAVED)).forEach((each) -> {
			String line = each.name().equals(ORDER_DURATION) ? each.label("mode") : "saved";
			durations.computeIfAbsent(line, (_) -> new TreeMap<>())
				.merge(Exposition.number(each.label("le")), sign * each.value(), Double::sum);
		});
	}

	/** The last finite bound stands for all greater values. */
	private static Optional<Double> p99Millis(Map<Double, Double> counts) {
		double greatest = counts.keySet().stream().filter(Double::isFinite).reduce(0.0, Math::max);
		return Optional.ofNullable(new PrometheusHistogram(counts).percentile(99))
			.map((seconds) -> Math.min(seconds, greatest) * 1_000);
	}

}
