package dev.sluice.lab.watch;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.metrics.Exposition;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.watch.Moment.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes all services at once every second, in its own thread. A service that does not
 * answer is asked again the next second, until this is closed.
 */
final class Watch implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Watch.class);

	private static final Duration PERIOD = Duration.ofSeconds(1);

	/**
	 * Shorter than the period, so that a service that hangs does not delay the others.
	 */
	private static final Duration PATIENCE = Duration.ofMillis(900);

	/** Many times longer than a scrape takes. */
	private static final Duration END = Duration.ofMinutes(1);

	private static final int OK = 200;

	private final List<Target> targets;

	private final History history;

	private final InstantSource clock;

	private final Readings readings = new Readings();

	private final HttpClient client = Http.client(PATIENCE);

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("watch").factory());

	private long number;

	/**
	 * Starts scraping.
	 * @param targets services with unique names
	 * @param history receives the figures
	 */
	Watch(List<Target> targets, History history, InstantSource clock) {
		this.targets = List.copyOf(targets);
		this.history = history;
		this.clock = clock;
		this.executor.scheduleAtFixedRate(this::askOnce, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
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
		List<CompletableFuture<Scrape>> answers = this.targets.stream()
			.map((target) -> scrape(target.metrics()))
			.toList();
		Map<String, Scrape> scrapes = new LinkedHashMap<>();
		List<State> states = new ArrayList<>();
		for (int i = 0; i < answers.size(); i++) {
			Target target = this.targets.get(i);
			Scrape scrape = answers.get(i).join();
			scrapes.put(target.name(), scrape);
			states.add(new State(target.name(), target.uri().toString(), scrape.problem()));
		}
		this.number++;
		this.history.add(new Moment(this.number, this.clock.millis(), states, this.readings.next(scrapes)));
	}

	/** Never fails, and completes within {@link #PATIENCE}. */
	private CompletableFuture<Scrape> scrape(URI metrics) {
		CompletableFuture<HttpResponse<String>> answer = this.client.sendAsync(HttpRequest.newBuilder(metrics).build(),
				BodyHandlers.ofString());
		return answer.thenApply(Watch::read)
			.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
			.exceptionally((failure) -> {
				answer.cancel(true);
				return Scrape.failed(System.nanoTime(), words(failure));
			});
	}

	private static Scrape read(HttpResponse<String> response) {
		long now = System.nanoTime();
		if (response.statusCode() != OK) {
			return Scrape.failed(now, "answers HTTP " + response.statusCode());
		}
		Exposition exposition = Readings.parse(response.body());
		return exposition.series().isEmpty() ? Scrape.failed(now, "serves no metrics")
				: Scrape.answered(now, exposition);
	}

	private static String words(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return switch (cause) {
			case ConnectException _ -> "nobody listens";
			case TimeoutException _ -> "no answer within %d ms".formatted(PATIENCE.toMillis());
			default -> "no answer";
		};
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			Duration end = Patience.of(END);
			if (!this.executor.awaitTermination(end.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException(
						"The services were still being asked after %d s".formatted(end.toSeconds()));
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		this.client.shutdownNow();
	}

}
