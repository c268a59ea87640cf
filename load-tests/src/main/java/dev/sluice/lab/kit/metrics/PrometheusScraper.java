package dev.sluice.lab.kit.metrics;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

import dev.sluice.lab.kit.stack.Http;

/**
 * Scrapes the services' Prometheus endpoints each second, on its own thread, into one
 * compressed file for each service. The answers are kept unchanged, each after a comment
 * with its time. If an endpoint does not answer within a second, or a scrape fails
 * otherwise, that is noted in the file, and the next scrape tries again.
 */
public final class PrometheusScraper implements AutoCloseable {

	private static final Duration PERIOD = Duration.ofSeconds(1);

	private final List<Target> targets = new ArrayList<>();

	private final HttpClient client = Http.client(PERIOD);

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("prometheus-scraper").factory());

	/**
	 * Starts to scrape.
	 * @param endpoints by the name of the service, which names its file
	 * @param directory where the files go
	 * @throws IOException if a file cannot be written
	 */
	public PrometheusScraper(Map<String, URI> endpoints, Path directory) throws IOException {
		try {
			for (Map.Entry<String, URI> endpoint : endpoints.entrySet()) {
				this.targets.add(new Target(endpoint.getValue(),
						new PrintWriter(new OutputStreamWriter(
								new GZIPOutputStream(
										Files.newOutputStream(directory.resolve(endpoint.getKey() + ".prom.gz"))),
								StandardCharsets.UTF_8))));
			}
		}
		catch (IOException ex) {
			close();
			throw ex;
		}
		this.executor.scheduleAtFixedRate(
				() -> this.targets.forEach((target) -> scrape(target.endpoint(), target.file())), 0, PERIOD.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void scrape(URI endpoint, PrintWriter file) {
		try {
			HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(endpoint).timeout(PERIOD).build(),
					BodyHandlers.ofString());
			file.println("# at " + Instant.now() + " status " + response.statusCode());
			file.println(response.body());
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

	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			if (!this.executor.awaitTermination(5, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The scraper did not end within 5 s");
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		this.client.shutdownNow();
		this.targets.forEach((target) -> target.file().close());
	}

	/** A service. Two may share the address of a proxy. */
	private record Target(URI endpoint, PrintWriter file) {
	}

}
