package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.zip.GZIPOutputStream;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes.Scrape;
import dev.sluice.lab.kit.stack.Http;

/**
 * Scrapes the services' Prometheus endpoints each second, on its own thread, into one
 * compressed file for each service. The answers are kept unchanged, each after a comment
 * with its time; some of the metrics are also kept in memory until they are taken. If an
 * endpoint does not answer within a second, or a scrape fails otherwise, that is noted in
 * the file, and the next scrape tries again.
 */
public final class PrometheusScraper implements AutoCloseable {

	private static final Duration PERIOD = Duration.ofSeconds(1);

	private static final int OK = 200;

	/** By the service's name. */
	private final Map<String, Target> targets = new LinkedHashMap<>();

	private final Predicate<String> kept;

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("prometheus-scraper").factory());

	/**
	 * Starts to scrape.
	 * @param endpoints by the name of the service, which names its file
	 * @param directory where the files go
	 * @param kept the names of the metrics that {@link #scrapes} has
	 * @throws IOException if a file cannot be written
	 */
	public PrometheusScraper(Map<String, URI> endpoints, Path directory, Predicate<String> kept) throws IOException {
		this.kept = kept;
		try {
			for (Map.Entry<String, URI> endpoint : endpoints.entrySet()) {
				this.targets.put(endpoint.getKey(), new Target(endpoint.getValue(),
						new PrintWriter(new OutputStreamWriter(
								new GZIPOutputStream(
										Files.newOutputStream(directory.resolve(endpoint.getKey() + ".prom.gz"))),
								StandardCharsets.UTF_8)),
						new LinkedBlockingQueue<>()));
			}
		}
		catch (IOException ex) {
			close();
			throw ex;
		}
		this.executor.scheduleAtFixedRate(() -> this.targets.values().forEach(this::scrape), 0, PERIOD.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void scrape(Target target) {
		PrintWriter file = target.file();
		try {
			HttpResponse<String> response = Http.CLIENT
				.send(HttpRequest.newBuilder(target.endpoint()).timeout(PERIOD).build(), BodyHandlers.ofString());
			Instant now = Instant.now();
			file.println("# at " + now + " status " + response.statusCode());
			file.println(response.body());
			if (response.statusCode() == OK) {
				target.scrapes().add(new Scrape(now, Exposition.parse(response.body(), this.kept)));
			}
		}
		catch (IOException ex) {
			file.println("# at " + Instant.now() + " no answer: " + ex);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | Error ex) {
			// An executor silently drops a task that throws.
			file.println("# at " + Instant.now() + " failed: " + ex);
		}
	}

	/** What was answered since the last call, by service; it is kept no longer. */
	public Map<String, Scrapes> scrapes() {
		Map<String, Scrapes> all = new LinkedHashMap<>();
		this.targets.forEach((service, target) -> {
			List<Scrape> answered = new ArrayList<>();
			target.scrapes().drainTo(answered);
			all.put(service, new Scrapes(answered));
		});
		return all;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		this.executor.close();
		this.targets.values().forEach((target) -> target.file().close());
	}

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
		 * Whether the service answered in at least half of the window's seconds, the last
		 * one left out; a window of less than two seconds need not have a scrape.
		 */
		public boolean cover(Window window) {
			return window.seconds() < 2 || in(window).size() >= (Math.ceil(window.seconds()) - 1) / 2;
		}

	}

	private record Target(URI endpoint, PrintWriter file, BlockingQueue<Scrape> scrapes) {
	}

}
