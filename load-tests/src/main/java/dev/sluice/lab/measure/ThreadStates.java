package dev.sluice.lab.measure;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * The platform threads of a service by state, as a {@link PrometheusScraper} kept them.
 *
 * @param samples in the order they were taken
 */
public record ThreadStates(List<Sample> samples) {

	private static final Pattern TIME = Pattern.compile("# at (\\S+) status 200");

	private static final Pattern STATE = Pattern
		.compile("jvm_threads_states_threads\\{.*?state=\"([a-z-]+)\".*?} ([0-9.eE+]+)");

	public ThreadStates {
		samples = List.copyOf(samples);
	}

	/** How many threads were in which state. */
	private record Sample(Instant time, Map<String, Double> threads) {
	}

	/**
	 * Reads what a scraper kept of one service.
	 * @throws IOException if it cannot be read
	 */
	public static ThreadStates read(Path file) throws IOException {
		List<Sample> samples = new ArrayList<>();
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				Matcher time = TIME.matcher(line);
				Matcher state = STATE.matcher(line);
				if (time.matches()) {
					samples.add(new Sample(Instant.parse(time.group(1)), new TreeMap<>()));
				}
				else if (state.matches() && !samples.isEmpty()) {
					samples.getLast().threads().put(state.group(1), Double.valueOf(state.group(2)));
				}
			}
		}
		return new ThreadStates(samples);
	}

	/** The mean in a window by state; empty if there is no sample in it. */
	public Map<String, Double> in(Window window) {
		return this.samples.stream()
			.filter((sample) -> window.contains(sample.time()))
			.flatMap((sample) -> sample.threads().entrySet().stream())
			.collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new,
					Collectors.averagingDouble(Map.Entry::getValue)));
	}

}
