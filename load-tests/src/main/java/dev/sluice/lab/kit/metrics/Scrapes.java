package dev.sluice.lab.kit.metrics;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

import dev.sluice.lab.kit.metrics.Exposition.Series;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

/**
 * The scrapes of one service that a {@link PrometheusScraper} kept.
 *
 * @param scrapes those that were answered, in the order they were taken
 */
public record Scrapes(List<Scrape> scrapes) {

	private static final Pattern TIME = Pattern.compile("# at (\\S+) (.*)");

	private static final String ANSWERED = "status 200";

	public Scrapes {
		scrapes = List.copyOf(scrapes);
	}

	/** The service's metrics at a time. */
	public record Scrape(Instant time, Exposition values) {
	}

	/**
	 * Reads a scraper's file.
	 * @param filter the names to keep
	 * @throws IOException if it cannot be read
	 */
	public static Scrapes read(Path file, Predicate<String> filter) throws IOException {
		List<Scrape> scrapes = new ArrayList<>();
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
			Instant at = null;
			List<Series> series = new ArrayList<>();
			for (String text = lines.readLine(); text != null; text = lines.readLine()) {
				Matcher time = TIME.matcher(text);
				if (time.matches()) {
					add(scrapes, at, series);
					at = time.group(2).equals(ANSWERED) ? Instant.parse(time.group(1)) : null;
					series.clear();
				}
				else {
					Exposition.line(text, filter).ifPresent(series::add);
				}
			}
			add(scrapes, at, series);
		}
		return new Scrapes(scrapes);
	}

	private static void add(List<Scrape> scrapes, @Nullable Instant at, List<Series> series) {
		if (at != null) {
			scrapes.add(new Scrape(at, new Exposition(series)));
		}
	}

	/** The scrapes in a window. */
	public List<Scrape> in(Window window) {
		return this.scrapes.stream().filter((scrape) -> window.contains(scrape.time())).toList();
	}

	/**
	 * Whether the service answered in at least half of the window's seconds, the last one
	 * left out; a window of less than two seconds need not have a scrape.
	 */
	public boolean cover(Window window) {
		return window.seconds() < 2 || in(window).size() >= (window.secondCount() - 1) / 2.0;
	}

}
