package dev.sluice.lab.kit.metrics;

import java.time.Instant;
import java.util.List;

import dev.sluice.lab.kit.statistics.Window;

/**
 * The scrapes of one service that a {@link PrometheusScraper} kept.
 *
 * @param scrapes those that were answered, in the order they were taken
 */
public record Scrapes(List<Scrape> scrapes) {

	public Scrapes {
		scrapes = List.copyOf(scrapes);
	}

	/** The service's metrics at a time. */
	public record Scrape(Instant time, Exposition values) {
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
		return window.seconds() < 2 || in(window).size() >= (Math.ceil(window.seconds()) - 1) / 2;
	}

}
