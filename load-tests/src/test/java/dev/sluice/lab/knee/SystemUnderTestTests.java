package dev.sluice.lab.knee;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SystemUnderTestTests {

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
	void readsWhatTheConsumerOfATargetHasSaved() throws Exception {
		metrics("""
				sluice_accept_to_saved_seconds_bucket{le="0.1"} 30
				sluice_accept_to_saved_seconds_bucket{le="+Inf"} 40
				sluice_accept_to_saved_seconds_count 40
				""");

		try (TargetSystem system = system()) {
			SystemUnderTest bed = new SystemUnderTest.Deployed(uri(""), system, true);

			assertThat(bed.saved()).isEqualTo(40);
			assertThat(bed.savedTimes().count()).isEqualTo(40);
		}
	}

	@Test
	void failsIfTheConsumerOfATargetDoesNotCount() {
		metrics("jvm_threads_live 4");

		try (TargetSystem system = system()) {
			SystemUnderTest bed = new SystemUnderTest.Deployed(uri(""), system, true);

			assertThatExceptionOfType(LabException.class).isThrownBy(bed::saved)
				.withMessageContaining("lack sluice_accept_to_saved_seconds_count");
			assertThatExceptionOfType(LabException.class).isThrownBy(bed::savedTimes)
				.withMessageContaining("lack sluice_accept_to_saved_seconds_bucket");
		}
	}

	@Test
	void asksNobodyWhereOrdersAreSync() throws Exception {
		try (TargetSystem system = system()) {
			SystemUnderTest bed = new SystemUnderTest.Deployed(uri(""), system, false);

			assertThat(bed.saved()).isZero();
			assertThat(bed.savedTimes().counts()).isEmpty();
			assertThat(system.failures()).isEmpty();
		}
	}

	@Test
	void aBackendThatTheLabStartedForgetsWhatItSavedOnceNothingIsOnItsWay() throws Exception {
		List<String> requests = new CopyOnWriteArrayList<>();
		this.server.createContext("/", (exchange) -> {
			requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
			exchange.getRequestBody().readAllBytes();
			byte[] bytes = "{\"saved\":7}".getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, bytes.length);
			exchange.getResponseBody().write(bytes);
			exchange.close();
		});

		try (HttpClient http = HttpClient.newHttpClient()) {
			new SystemUnderTest.Started(uri(""), new BackendControl(http, uri("")), BackendBehaviour.DEFAULT, Map.of(),
					Map.of(), http)
				.clear();
		}

		assertThat(requests).containsSubsequence("GET /orders/count", "DELETE /audit", "PUT /behaviour")
			.containsOnlyOnce("DELETE /audit");
	}

	private TargetSystem system() {
		return TargetSystem.open(new Target(Map.of("servlet", uri("")),
				Map.of(Target.CONSUMER, uri("/metrics").toString()), null, Target.Access.OPEN));
	}

	private URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + path);
	}

	private void metrics(String body) {
		this.server.createContext("/metrics", (exchange) -> {
			byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, bytes.length);
			exchange.getResponseBody().write(bytes);
			exchange.close();
		});
	}

}
