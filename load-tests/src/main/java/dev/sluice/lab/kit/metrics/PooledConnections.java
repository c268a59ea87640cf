package dev.sluice.lab.kit.metrics;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

/**
 * A service's open connections to the backend over time, from the scrapes of a
 * {@link PrometheusScraper}: those in the pool of a blocking or asynchronous client
 * (HttpComponents), in use or not, or of a reactive one (Reactor Netty).
 *
 * @param samples in the order they were taken
 */
public record PooledConnections(List<Sample> samples) {

	/** The metrics that it needs. */
	public static final Set<String> METRICS = Set.of("httpcomponents_httpclient_pool_total_connections",
			"reactor_netty_connection_provider_total_connections");

	public PooledConnections {
		samples = List.copyOf(samples);
	}

	/** The connections at a time. */
	private record Sample(Instant time, int connections) {
	}

	/** Takes them from scrapes that contain them. */
	public static PooledConnections of(Scrapes scrapes) {
		return new PooledConnections(scrapes.scrapes()
			.stream()
			.flatMap((scrape) -> Stream
				.ofNullable(Exposition.sum(METRICS.stream()
					.flatMap(scrape.values()::of)
					.filter((series) -> series.label("httpclient").equals("backend")
							|| series.label("name").equals("backend"))))
				.map((sum) -> new Sample(scrape.time(), sum.intValue())))
			.toList());
	}

	/** The most in a window; null if there is no sample in it. */
	public @Nullable Integer mostIn(Window window) {
		return this.samples.stream()
			.filter((sample) -> window.contains(sample.time()))
			.map(Sample::connections)
			.max(Integer::compare)
			.orElse(null);
	}

	/** The last number known at a time; null if there is none. */
	public @Nullable Integer lastAt(Instant time) {
		return this.samples.stream()
			.filter((sample) -> !sample.time().isAfter(time))
			.reduce((_, later) -> later)
			.map(Sample::connections)
			.orElse(null);
	}

}
