package dev.sluice.lab.chaos.ledger;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.chaos.ledger.Gateways.Gateway;
import dev.sluice.lab.chaos.ledger.OrderWitness.Fate;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class GatewayWitnessTests {

	private static final UUID ID = UUID.randomUUID();

	private static final String SAVED = JsonMapper.shared()
		.writeValueAsString(new OrderView(ID, OrderStatus.SAVED, 1, Instant.EPOCH, Instant.EPOCH, null));

	private final List<HttpServer> servers = new ArrayList<>();

	private final AtomicInteger lookUps = new AtomicInteger();

	@AfterEach
	void stop() {
		this.servers.forEach((server) -> server.stop(0));
	}

	@Test
	void tellsHowFarAnOrderHasCome() throws Exception {
		try (GatewayWitness witness = witness(gateway("a", 200, SAVED))) {
			assertThat(witness.fate(ID)).isEqualTo(new Fate(OrderStatus.SAVED, null));
		}
	}

	@Test
	void doesNotKnowWhatNoGatewayHasGivenOut() throws Exception {
		try (GatewayWitness witness = witness(gateway("a", 404, "{}"))) {
			assertThat(witness.fate(ID)).isNull();
		}
	}

	@Test
	void asksTheOtherGatewayWhereOneDoesNotTell() throws Exception {
		try (GatewayWitness witness = witness(gateway("a", 503, "{}"), gateway("b", 200, SAVED))) {
			for (int i = 0; i < 10; i++) {
				assertThat(witness.fate(UUID.randomUUID())).isEqualTo(new Fate(OrderStatus.SAVED, null));
			}
		}
	}

	@Test
	void provesNothingWhereNoGatewayTells() throws Exception {
		try (GatewayWitness witness = witness(gateway("a", 503, "busy"),
				new Gateway("absent", URI.create("http://127.0.0.1:1")), gateway("c", 200, "no order"))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> witness.fate(ID))
				.withMessageContaining("do not say what became of " + ID);
		}
	}

	@Test
	void checksThatEachGatewayCanBeAsked() throws Exception {
		Gateway well = gateway("well", 404, "{}");
		try (GatewayWitness witness = witness(well)) {
			assertThatNoException().isThrownBy(() -> witness.check(ID));
		}
		try (GatewayWitness witness = witness(well, gateway("closed", 401, "no token"))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> witness.check(ID))
				.withMessageContainingAll("at the gateway closed (http", "nothing was done: 401 no token");
		}
	}

	@Test
	void asksAGatewayAgainThatHasJustStarted() throws Exception {
		try (GatewayWitness witness = witness(gateway("starting", () -> (this.lookUps.get() < 5) ? 503 : 404, "{}"))) {
			assertThatNoException().isThrownBy(() -> witness.check(ID));
		}
		assertThat(this.lookUps).hasValue(5);
	}

	@Test
	void asksAGatewayFiveTimesAndNoMore() throws Exception {
		try (GatewayWitness witness = witness(gateway("busy", 503, "busy"))) {
			assertThatExceptionOfType(LabException.class).isThrownBy(() -> witness.check(ID))
				.withMessageContaining("nothing was done: 503 busy");
		}
		assertThat(this.lookUps).hasValue(5);
	}

	@Test
	void asksNoMoreOftenThanItMay() throws Exception {
		long start = System.nanoTime();
		try (GatewayWitness witness = new GatewayWitness(new Gateways(List.of(gateway("a", 200, SAVED)), null, null),
				100, Duration.ZERO)) {
			List<Thread> askers = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				askers.add(Thread.ofVirtual().start(() -> {
					try {
						witness.fate(ID);
					}
					catch (InterruptedException _) {
						Thread.currentThread().interrupt();
					}
				}));
			}
			for (Thread asker : askers) {
				asker.join();
			}
		}

		assertThat(this.lookUps).hasValue(20);
		// The first look-up is immediate, each other at least 10 ms after the previous
		// one, on any machine.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
	}

	private GatewayWitness witness(Gateway... gateways) {
		return new GatewayWitness(new Gateways(List.of(gateways), null, null), 10_000, Duration.ofMillis(1));
	}

	private Gateway gateway(String name, int status, String body) throws IOException {
		return gateway(name, () -> status, body);
	}

	private Gateway gateway(String name, IntSupplier status, String body) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
		server.createContext("/orders/", (exchange) -> {
			this.lookUps.incrementAndGet();
			byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(status.getAsInt(), bytes.length);
			try (OutputStream out = exchange.getResponseBody()) {
				out.write(bytes);
			}
		});
		server.start();
		this.servers.add(server);
		return new Gateway(name, URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
	}

}
