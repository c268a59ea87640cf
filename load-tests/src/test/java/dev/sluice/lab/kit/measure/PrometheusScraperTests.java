package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;

import com.sun.net.httpserver.HttpHandler;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.measure.Exposition.Series;
import dev.sluice.lab.kit.measure.PrometheusScraper.Scrapes.Scrape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PrometheusScraperTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final StubServer server = new StubServer();

	@Test
	void keepsWhatAServiceSaysWithTimeAndStatus() throws IOException {
		AtomicInteger scrapes = new AtomicInteger();
		URI endpoint = endpoint("/gateway", answer(200, "jvm_threads 7\nup 1\n", scrapes));
		Instant before = Instant.now();

		try (PrometheusScraper scraper = scraper(Map.of("gateway", endpoint))) {
			List<Scrape> all = new ArrayList<>();
			await().until(() -> all.addAll(scraper.scrapes().get("gateway").scrapes()) && all.size() >= 2);
			assertThat(all).doesNotHaveDuplicates()
				.allSatisfy((scrape) -> assertThat(scrape.values().series()).singleElement()
					.isEqualTo(new Series("up", Map.of(), 1)));
		}

		List<String> lines = lines("gateway");
		assertThat(lines).containsSequence("jvm_threads 7", "up 1");
		// On a busy machine, a scrape may miss its deadline.
		assertThat(lines).filteredOn((line) -> line.startsWith("#") && !line.contains(" no answer: "))
			.hasSizeGreaterThanOrEqualTo(2)
			.allSatisfy((line) -> {
				assertThat(line).matches("# at \\S+ status 200");
				assertThat(Instant.parse(line.split(" ")[2])).isBetween(before, Instant.now());
			});
	}

	/** Its first scrapes are refused, the next two hang. */
	@Test
	void notesThatAServiceIsDownOrHangsAndAsksItAgainAndTheOthersMeanwhile() throws IOException {
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger answered = new AtomicInteger();
		CountDownLatch end = new CountDownLatch(1);
		HttpHandler up = answer(200, "up 1\n", answered);
		Map<String, URI> endpoints = new LinkedHashMap<>();
		endpoints.put("bad", URI.create("ftp://127.0.0.1/metrics"));
		endpoints.put("gateway", endpoint("/gateway", (exchange) -> {
			int number = asked.incrementAndGet();
			if (number > 5) {
				up.handle(exchange);
				return;
			}
			if (number > 3) {
				waitFor(end);
			}
			exchange.close();
		}));

		try (PrometheusScraper _ = scraper(endpoints)) {
			await().until(() -> answered.get() >= 2);
		}
		finally {
			end.countDown();
		}

		assertThat(lines("bad")).first().asString().contains("failed:");
		assertThat(String.join("\n", lines("gateway"))).containsSubsequence(" no answer: ", " no answer: ", "Timeout",
				" no answer: ", "Timeout", " status 200", "up 1");
	}

	private PrometheusScraper scraper(Map<String, URI> endpoints) throws IOException {
		return new PrometheusScraper(endpoints, this.directory, "up"::equals);
	}

	private URI endpoint(String path, HttpHandler handler) {
		return this.server.on(path, handler).uri(path);
	}

	private static HttpHandler answer(int status, String text, AtomicInteger answered) {
		return (exchange) -> {
			StubServer.answer(exchange, status, text);
			answered.incrementAndGet();
		};
	}

	private static void waitFor(CountDownLatch latch) {
		try {
			assertThat(latch.await(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	private List<String> lines(String service) throws IOException {
		try (InputStream in = new GZIPInputStream(Files.newInputStream(this.directory.resolve(service + ".prom.gz")))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
	}

}
