package dev.sluice.lab.kit.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.Phase.Flap;
import dev.sluice.lab.kit.run.BackendControl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Against a backend that does what the test says. */
class FlappingTests {

	private final List<String> behaviours = new CopyOnWriteArrayList<>();

	private volatile int status = 204;

	private HttpServer backend;

	@BeforeEach
	void start() throws Exception {
		this.backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.backend.createContext("/behaviour", (exchange) -> {
			this.behaviours.add(new String(exchange.getRequestBody().readAllBytes()));
			exchange.sendResponseHeaders(this.status, -1);
			exchange.close();
		});
		this.backend.start();
	}

	@AfterEach
	void stop() {
		this.backend.stop(0);
	}

	@Test
	void switchesBetweenTwoBehavioursUntilItIsClosed() {
		try (Flapping _ = start(1, 1)) {
			await().until(() -> this.behaviours.size() >= 4);
		}

		List<String> seen = List.copyOf(this.behaviours);
		assertThat(seen.get(0)).isEqualTo(seen.get(2)).isNotEqualTo(seen.get(1)).contains("599");
		assertThat(seen.get(1)).isEqualTo(seen.get(3)).doesNotContain("599");
	}

	@Test
	void goesOnAfterARequestThatTheBackendRefuses() {
		this.status = 500;
		try (Flapping _ = start(1, 1)) {
			await().until(() -> this.behaviours.size() >= 2);
			this.status = 204;
			await().until(() -> this.behaviours.size() >= 4);
		}
	}

	private Flapping start(long wellMillis, long unwellMillis) {
		return Flapping.start(
				new BackendControl(HttpClient.newHttpClient(),
						URI.create("http://127.0.0.1:" + this.backend.getAddress().getPort())),
				BackendBehaviour.DEFAULT,
				new Flap(wellMillis, unwellMillis, BackendBehaviour.DEFAULT.withErrors(1, 599)));
	}

}
