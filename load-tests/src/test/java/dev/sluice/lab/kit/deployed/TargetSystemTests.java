package dev.sluice.lab.kit.deployed;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.deployed.Target.Access;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TargetSystemTests {

	@TempDir
	private Path directory;

	private final List<String> authorizations = new CopyOnWriteArrayList<>();

	private HttpServer server;

	@BeforeEach
	void serve() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	@Test
	void readsAnEndpointWithItsOwnTokenOnly() throws Exception {
		answer("/metrics", "process_cpu_time_ns_total 5\nother 7\n");
		Path token = Files.writeString(this.directory.resolve("token"), "for-metrics\n");
		Target target = new Target(Map.of("servlet", uri("")), Map.of("servlet", uri("/metrics").toString()), null,
				new Access(null, token, null));

		try (TargetSystem system = TargetSystem.open(target)) {
			assertThat(system.read().get("servlet").sum("process_cpu_time_ns_total")).isEqualTo(5);
			assertThat(system.authorization()).isNull();
		}
		assertThat(this.authorizations).containsExactly("Bearer for-metrics");
	}

	@Test
	void readsAPrometheusServer() throws Exception {
		String time = Long.toString(System.currentTimeMillis() / 1_000 + 60);
		answer("/api/v1/query", """
				{"status":"success","data":{"resultType":"vector","result":[
				 {"metric":{"__name__":"process_cpu_time_ns_total","pod":"a"},"value":[1,"%s"]}]}}
				""".formatted(time));
		Target target = new Target(Map.of("servlet", uri("")), Map.of("consumer", "job=\"consumer\""), uri(""),
				Access.OPEN);

		try (TargetSystem system = TargetSystem.open(target)) {
			assertThat(system.read().get("consumer").sum("process_cpu_time_ns_total"))
				.isEqualTo(Double.parseDouble(time));
			assertThat(system.failures()).isEmpty();
		}
	}

	@Test
	void saysWhoDidNotTell() throws Exception {
		Target target = new Target(Map.of("servlet", uri("")), Map.of("consumer", uri("/missing").toString()), null,
				Access.OPEN);

		try (TargetSystem system = TargetSystem.open(target)) {
			assertThat(system.read()).isEmpty();
			assertThat(system.failures().get("consumer")).contains("answers 404");
		}
	}

	private URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + path);
	}

	private void answer(String path, String body) {
		this.server.createContext(path, (exchange) -> {
			String authorization = exchange.getRequestHeaders().getFirst("Authorization");
			if (authorization != null) {
				this.authorizations.add(authorization);
			}
			byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, bytes.length);
			exchange.getResponseBody().write(bytes);
			exchange.close();
		});
	}

}
