package dev.sluice.lab.watch;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.lab.kit.measure.Exposition;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.watch.Readings.Scrape;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes all services at once every second, in its own thread, and keeps the moments of
 * the last ten minutes. A service that does not answer is asked again the next second.
 */
final class Watch implements AutoCloseable {

	/** Ten minutes. */
	static final int MAX_MOMENTS = 600;

	private static final Logger logger = LoggerFactory.getLogger(Watch.class);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/** Short, so that a service that hangs does not delay the others. */
	private static final Duration PATIENCE = Duration.ofMillis(900);

	private final Map<String, URI> targets;

	private final Readings readings = new Readings();

	private final HttpClient client = Http.client(PATIENCE);

	/** By their times. */
	private final ConcurrentNavigableMap<Long, Moment> moments = new ConcurrentSkipListMap<>();

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("watch").factory());

	/**
	 * The figures of one second.
	 *
	 * @param millis time in milliseconds since the epoch
	 * @param services states in the order of the targets
	 * @param figures figures by panel and name, without unknown ones
	 */
	record Moment(long millis, List<State> services, Map<String, Map<String, Double>> figures) {
	}

	/**
	 * Whether a service answered.
	 *
	 * @param problem why it did not answer, in words; null if it did
	 */
	record State(String name, String uri, @Nullable String problem) {
	}

	/** One of the two is null. */
	private record Asked(@Nullable Scrape scrape, @Nullable String problem) {
	}

	/**
	 * Starts scraping.
	 * @param targets addresses of the services, without a path, by name
	 */
	Watch(Map<String, URI> targets) {
		this.targets = new LinkedHashMap<>(targets);
		this.executor.scheduleWithFixedDelay(this::askOnce, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** The moments after a time in milliseconds since the epoch, the earliest first. */
	List<Moment> after(long millis) {
		return List.copyOf(this.moments.tailMap(millis, false).values());
	}

	/** Catches exceptions: an executor does not repeat a task that has thrown one. */
	private void askOnce() {
		try {
			ask();
		}
		catch (RuntimeException ex) {
			logger.error("The services could not be asked", ex);
		}
	}

	private void ask() {
		Map<String, CompletableFuture<Asked>> answers = new LinkedHashMap<>();
		this.targets.forEach((name, uri) -> answers.put(name, ask(uri)));
		Map<String, Scrape> scrapes = new LinkedHashMap<>();
		List<State> states = new ArrayList<>();
		answers.forEach((name, answer) -> {
			Asked asked = answer.join();
			if (asked.scrape() != null) {
				scrapes.put(name, asked.scrape());
			}
			states.add(new State(name, String.valueOf(this.targets.get(name)), asked.problem()));
		});
		long now = System.currentTimeMillis();
		this.moments.put(now, new Moment(now, states, this.readings.next(scrapes)));
		if (this.moments.size() > MAX_MOMENTS) {
			this.moments.pollFirstEntry();
		}
	}

	/** Never fails, and completes within {@link #PATIENCE}. */
	private CompletableFuture<Asked> ask(URI service) {
		CompletableFuture<HttpResponse<String>> answer = this.client.sendAsync(
				HttpRequest.newBuilder(service.resolve("/actuator/prometheus")).build(), BodyHandlers.ofString());
		return answer.thenApply(Watch::read)
			.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
			.exceptionally((failure) -> {
				answer.cancel(true);
				return new Asked(null, (failure instanceof TimeoutException)
						? "no answer within %s ms".formatted(PATIENCE.toMillis()) : "no answer");
			});
	}

	private static Asked read(HttpResponse<String> response) {
		if (response.statusCode() != 200) {
			return new Asked(null, "answers HTTP " + response.statusCode());
		}
		Exposition metrics = Readings.parse(response.body());
		return metrics.series().isEmpty() ? new Asked(null, "serves no metrics")
				: new Asked(new Scrape(System.nanoTime(), metrics), null);
	}

	@Override
	public void close() {
		this.executor.close();
		this.client.shutdownNow();
	}

}
