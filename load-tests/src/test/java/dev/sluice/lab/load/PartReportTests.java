package dev.sluice.lab.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

@Tag("full")
class PartReportTests {

	@Test
	void allTogetherHaveThePercentilesOfAllRequests() throws Exception {
		List<Figures> figures = List.of(figures(200), figures(50));

		PartReport sum = PartReport.sum(IntStream.of(0, 1)
			.mapToObj((index) -> PartReport.of(new Part(index + 1, 2), figures.get(index), 7 * index))
			.toList());

		Histogram all = new Histogram(3);
		figures.forEach((each) -> each.samples().latencies().forEach(all::recordValue));
		assertThat(sum.latencyHistogram()).isEqualTo(all);
		assertThat(sum.tally().due()).isEqualTo(250);
		assertThat(sum.tally().answered()).isEqualTo(250);
		assertThat(sum.latency()).isNotNull().satisfies((timing) -> {
			assertThat(timing.p95()).isNotNull().isCloseTo(all.getValueAtPercentile(95) / 1e3, within(0.001));
			assertThat(timing.p99()).as("fewer than ten values are above it").isNull();
		});
		assertThat(sum.clockErrorMicros()).isEqualTo(7);
		assertThat(sum.seconds()).hasSize(1).allSatisfy((second) -> assertThat(second.sent()).isEqualTo(250));
	}

	private static Figures figures(int requests) throws IOException, InterruptedException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
		server.createContext("/", (exchange) -> {
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		server.start();
		try (OpenClient client = new OpenClient(CallMode.ASYNC, null)) {
			HttpRequest request = HttpRequest
				.newBuilder(URI.create("http://127.0.0.1:" + server.getAddress().getPort()))
				.build();
			return client.run(new OpenLoad(requests, Duration.ofSeconds(1), Patience.ofSeconds(60), 1_000),
					(_) -> request, (_) -> {
					});
		}
		finally {
			server.stop(0);
		}
	}

}
