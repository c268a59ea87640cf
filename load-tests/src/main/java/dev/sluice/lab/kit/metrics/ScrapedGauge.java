package dev.sluice.lab.kit.metrics;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.statistics.Window;

import org.jspecify.annotations.Nullable;

/**
 * A service's gauge over time, by a label, from the scrapes of a
 * {@link PrometheusScraper}.
 *
 * @param samples in the order they were taken
 */
public record ScrapedGauge(List<Sample> samples) {

	/** Platform threads, by their state. */
	public static final Gauge THREADS = new Gauge(Set.of("jvm_threads_states_threads"), (_) -> true);

	/**
	 * Open connections to the backend in the pool of a blocking or asynchronous client
	 * (HttpComponents), by whether they are in use, or of a reactive one (Reactor Netty).
	 */
	public static final Gauge POOLED_CONNECTIONS = new Gauge(
			Set.of("httpcomponents_httpclient_pool_total_connections",
					"reactor_netty_connection_provider_total_connections"),
			(series) -> series.label("httpclient").equals("backend") || series.label("name").equals("backend"));

	public ScrapedGauge {
		samples = List.copyOf(samples);
	}

	/**
	 * Which series of an endpoint are added up, by their label {@code state}.
	 *
	 * @param names names of the metrics
	 * @param filter selects their series
	 */
	public record Gauge(Set<String> names, Predicate<Exposition.Series> filter) {
	}

	/** The gauge's values at a time, by the label. */
	private record Sample(Instant time, Map<String, Double> values) {

		double sum() {
			return this.values.values().stream().mapToDouble(Double::doubleValue).sum();
		}

	}

	/**
	 * Reads a scraper's file.
	 * @param gauge which series
	 * @throws IOException if it cannot be read
	 */
	public static ScrapedGauge read(Path file, Gauge gauge) throws IOException {
		return of(Scrapes.read(file, gauge.names()::contains), gauge);
	}

	/**
	 * Takes the gauge from scrapes that contain it.
	 */
	public static ScrapedGauge of(Scrapes scrapes, Gauge gauge) {
		return new ScrapedGauge(scrapes.scrapes().stream().map((scrape) -> {
			Map<String, Double> values = new TreeMap<>();
			gauge.names()
				.stream()
				.flatMap(scrape.values()::of)
				.filter(gauge.filter())
				.forEach((series) -> values.merge(series.label("state"), series.value(), Double::sum));
			return new Sample(scrape.time(), values);
		}).toList());
	}

	/** The mean in a window by the label; empty if there is no sample in it. */
	public Map<String, Double> meanIn(Window window) {
		return in(window).stream()
			.flatMap((sample) -> sample.values().entrySet().stream())
			.collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new,
					Collectors.averagingDouble(Map.Entry::getValue)));
	}

	/** The greatest sum over the label in a window; null if there is no sample in it. */
	public @Nullable Integer mostIn(Window window) {
		return in(window).stream().map((sample) -> (int) sample.sum()).max(Integer::compare).orElse(null);
	}

	/** The last sum over the label known at a time; null if there is none. */
	public @Nullable Integer lastAt(Instant time) {
		return known().filter((sample) -> !sample.time().isAfter(time))
			.reduce((_, later) -> later)
			.map((sample) -> (int) sample.sum())
			.orElse(null);
	}

	private List<Sample> in(Window window) {
		return known().filter((sample) -> window.contains(sample.time())).toList();
	}

	private Stream<Sample> known() {
		return this.samples.stream().filter((sample) -> !sample.values().isEmpty());
	}

}
