package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.metrics.PrometheusScraper;
import dev.sluice.lab.kit.process.ProcessSamples.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SamplerTests {

	@TempDir
	private Path directory;

	@Test
	void theProcessSamplerNotesWhatFailsAndGoesOn() throws IOException {
		Path proc = Files.createDirectory(this.directory.resolve("proc"));
		Files.writeString(proc.resolve("stat"), "cpu a b c d e f g h\n");
		Path file = this.directory.resolve("samples.csv");
		try (ProcessSampler sampler = new ProcessSampler(Map.of(), file, proc)) {
			await().until(() -> !sampler.samples().failures().isEmpty());

			Path mended = Files.writeString(proc.resolve("stat.new"), "cpu 1 2 3 4 5 6 7 8\n");
			Files.move(mended, proc.resolve("stat"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);

			await().until(() -> !sampler.samples().machine().isEmpty());
			assertThat(sampler.samples().failures()).first()
				.extracting(Failure::why)
				.asString()
				.contains("NumberFormatException");
		}
		assertThat(file).content().contains("failed: java.lang.NumberFormatException");
	}

	@Test
	void theScraperNotesWhatFailsAndScrapesTheOthers() throws IOException {
		AtomicInteger scrapes = new AtomicInteger();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			scrapes.incrementAndGet();
			byte[] body = "up 1\n".getBytes(StandardCharsets.US_ASCII);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		server.start();
		Map<String, URI> endpoints = new LinkedHashMap<>();
		endpoints.put("bad", URI.create("ftp://127.0.0.1/metrics"));
		endpoints.put("good", URI.create("http://127.0.0.1:%s/metrics".formatted(server.getAddress().getPort())));
		try (PrometheusScraper scraper = new PrometheusScraper(endpoints, this.directory)) {
			await().until(() -> scrapes.get() >= 2);

			assertThat(scraper.failures()).isNotEmpty()
				.allSatisfy((failure) -> assertThat(failure.why()).contains("ftp://127.0.0.1/metrics"));
		}
		finally {
			server.stop(0);
		}
	}

}
