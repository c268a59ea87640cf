package dev.sluice.lab.kit.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import org.jspecify.annotations.Nullable;

/**
 * A gauge of a service over time, as a {@link PrometheusScraper} kept it, by a label.
 *
 * @param samples in the order they were taken
 */
public record ScrapedGauge(List<Sample> samples) {

	/** Platform threads, by their state. */
	public static final Pattern THREADS = Pattern
		.compile("jvm_threads_states_threads\\{.*?state=\"(?<label>[a-z-]+)\".*?} (?<value>[0-9.eE+]+)");

	/**
	 * Open connections to the backend in the pool of a blocking or asynchronous client
	 * (HttpComponents), by whether they are in use, or of a reactive one (Reactor Netty).
	 */
	public static final Pattern POOLED_CONNECTIONS = Pattern.compile(
			"(?:httpcomponents_httpclient_pool_total_connections\\{httpclient=\"backend\",state=\"(?<label>[a-z]+)\""
					+ "|reactor_netty_connection_provider_total_connections\\{.*?name=\"backend\").*?} (?<value>[0-9.eE+]+)");

	private static final Pattern TIME = Pattern.compile("# at (\\S+) status 200");

	public ScrapedGauge {
		samples = List.copyOf(samples);
	}

	/** Its values at a time, by the label. */
	private record Sample(Instant time, Map<String, Double> values) {

		double sum() {
			return this.values.values().stream().mapToDouble(Double::doubleValue).sum();
		}

	}

	/**
	 * Reads what a scraper kept of one service.
	 * @param gauge its lines, with the groups {@code value} and {@code label}; values of
	 * the same label, or of none, are added up
	 * @throws IOException if it cannot be read
	 */
	public static ScrapedGauge read(Path file, Pattern gauge) throws IOException {
		List<Sample> samples = new ArrayList<>();
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
			for (String text = lines.readLine(); text != null; text = lines.readLine()) {
				Matcher time = TIME.matcher(text);
				Matcher line = gauge.matcher(text);
				if (time.matches()) {
					samples.add(new Sample(Instant.parse(time.group(1)), new TreeMap<>()));
				}
				else if (line.matches() && !samples.isEmpty()) {
					String label = (line.group("label") != null) ? line.group("label") : "";
					samples.getLast().values().merge(label, Double.valueOf(line.group("value")), Double::sum);
				}
			}
		}
		return new ScrapedGauge(samples);
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

	/** The sum over the label, the last known at a time; null if none was before. */
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
