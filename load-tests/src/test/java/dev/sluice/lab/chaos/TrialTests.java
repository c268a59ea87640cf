package dev.sluice.lab.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.SavedOrder;
import dev.sluice.lab.chaos.FaultInjector.Fault;
import dev.sluice.lab.kit.measure.SavedSampler;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** With a server that is the gateway and the backend, and saves every order at once. */
class TrialTests {

	private static final int ORDERS = 20;

	@TempDir
	private Path directory;

	private final AtomicInteger received = new AtomicInteger();

	/** Open when the load has ended, or goes on for too long. */
	private final CountDownLatch loadIsOver = new CountDownLatch(1);

	private HttpServer gateway;

	@BeforeEach
	void start() throws IOException {
		this.gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
		this.gateway.createContext("/orders", (exchange) -> {
			if (exchange.getRequestMethod().equals("GET")) {
				String path = exchange.getRequestURI().getPath();
				answer(exchange,
						new SavedOrder(UUID.fromString(path.substring(path.lastIndexOf('/') + 1)), Instant.EPOCH));
				return;
			}
			if (this.received.incrementAndGet() > ORDERS) {
				this.loadIsOver.countDown();
			}
			exchange.sendResponseHeaders(201, -1);
			exchange.close();
		});
		this.gateway.createContext("/audit",
				(exchange) -> answer(exchange, new BackendAudit(ORDERS, ORDERS, 0, 0, 0, 0, 1, 1, 0, null)));
		this.gateway.start();
	}

	@AfterEach
	void stop() {
		this.gateway.stop(0);
	}

	/** Two faults take until after the load, and the third one waits for them. */
	@Test
	void placesNoMoreOrdersThanPlannedHoweverLongTheFaultsTake() throws Exception {
		Trial trial = new Trial(new Trial.Workload(ORDERS, 1_000, 0.2, 10, false, 1, 1_000),
				RunDirectory.create(this.directory.resolve("run"), "chaos", Instant.now()),
				new Progress(new Lines(), false, Instant.now()));
		URI server = URI.create("http://127.0.0.1:" + this.gateway.getAddress().getPort());
		List<Fault> faults = List.of(new Fault(1, "consumer", "kill", "one", 0, this.loadIsOver::await),
				new Fault(2, "broker", "kill", "two", 0, this.loadIsOver::await),
				new Fault(3, "postgres", "kill", "three", 0, this.loadIsOver::await));

		try (HttpClient client = Http.client(Duration.ofSeconds(5))) {
			trial.run(List.of(new Gateway("a", server)), new OrderIdentity("trial"), faults, () -> SavedSampler.UNKNOWN,
					new BackendWitness(new BackendControl(client, server), server, () -> OptionalLong.of(0),
							new BackendWitness.Pace(Duration.ofMillis(1), Duration.ZERO)));
		}

		assertThat(this.received).hasValue(ORDERS);
		ChaosResult chaos = trial.result(1);
		assertThat(chaos.balance().placed()).isEqualTo(ORDERS);
		assertThat(chaos.faults()).extracting(ChaosResult.Fault::target)
			.containsExactlyInAnyOrder("consumer", "broker", "postgres");
	}

	private static void answer(HttpExchange exchange, Object body) throws IOException {
		byte[] bytes = JsonMapper.shared().writeValueAsBytes(body);
		exchange.sendResponseHeaders(200, bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	/** The progress, which says when the load has ended. */
	private final class Lines extends PrintStream {

		private Lines() {
			super(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
		}

		@Override
		public void println(@Nullable String text) {
			if (String.valueOf(text)
				.endsWith("The load has ended: 20 orders placed; the faults that are left go on without load")) {
				TrialTests.this.loadIsOver.countDown();
			}
		}

	}

}
