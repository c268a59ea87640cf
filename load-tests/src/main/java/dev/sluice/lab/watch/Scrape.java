package dev.sluice.lab.watch;

import dev.sluice.lab.kit.metrics.Exposition;
import org.jspecify.annotations.Nullable;

/**
 * A service's answer, or the lack of one.
 *
 * @param nanos time of the answer, by {@link System#nanoTime()}
 * @param exposition the metrics; null if it did not answer
 * @param problem why it did not answer, in words; null if it did
 */
record Scrape(long nanos, @Nullable Exposition exposition, @Nullable String problem) {

	static Scrape answered(long nanos, Exposition exposition) {
		return new Scrape(nanos, exposition, null);
	}

	static Scrape failed(long nanos, String problem) {
		return new Scrape(nanos, null, problem);
	}

}
