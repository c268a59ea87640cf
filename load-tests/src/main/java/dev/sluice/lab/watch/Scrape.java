package dev.sluice.lab.watch;

import dev.sluice.lab.kit.metrics.Exposition;
import org.jspecify.annotations.Nullable;

/**
 * What a service answered, or that it did not.
 *
 * @param nanos when, by {@link System#nanoTime()}
 * @param exposition null if it did not answer
 * @param problem why not, in words; null if it did
 */
record Scrape(long nanos, @Nullable Exposition exposition, @Nullable String problem) {

	static Scrape answered(long nanos, Exposition exposition) {
		return new Scrape(nanos, exposition, null);
	}

	static Scrape failed(long nanos, String problem) {
		return new Scrape(nanos, null, problem);
	}

}
