package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import dev.sluice.lab.chaos.OrderLedger.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class OrderDriverTests {

	private static final double RATE = 1_000;

	@TempDir
	private Path directory;

	private final OrderIdentity identity = new OrderIdentity("driver");

	@RegisterExtension
	private final StubServer failing = new StubServer();

	@RegisterExtension
	private final StubServer well = new StubServer();

	private final List<String> requests = new CopyOnWriteArrayList<>();

	/** What two gateways answer, or the one that there is; 0 = it is not there. */
	@ParameterizedTest
	@CsvSource({ "20, 503, 202, 30, ACCEPTED", "1, 503, 504, 6, OPEN", "5, 422, 422, 5, REFUSED",
			"1, 0, 0, 6, REFUSED" })
	void triesTheSameOrderAtTheOtherGatewayUntilItIsAcceptedOrRefusedForGoodOrTriedTooOften(int orders, int first,
			int second, int attempts, Meaning meaning) throws Exception {
		try (OrderLedger ledger = ledger(orders)) {
			drive(ledger, gateway(this.failing, first, true), gateway(this.well, second, true));

			assertThat(ledger.count(meaning, (_) -> true)).isEqualTo(orders);
			assertThat(ledger.attempts()).isEqualTo(attempts);
			assertThat(ledger.misnamedOrders()).isZero();
			assertThat(this.requests).hasSize((first > 0) ? attempts : 0)
				.allMatch((request) -> request.matches("\\w+ \"driver-\\d+\" .*"));
		}
	}

	@Test
	void asksForEachOrdersWayAndNoticesAnAnswerForAnotherOrder() throws Exception {
		try (OrderLedger ledger = ledger(10)) {
			drive(ledger, gateway(this.well, 202, false));

			assertThat(this.requests).filteredOn((request) -> request.endsWith(" respond-async")).hasSize(8);
			assertThat(ledger.count(Meaning.ACCEPTED, (order) -> ledger.mode(order) == Mode.SYNC)).isEqualTo(2);
			assertThat(ledger.misnamedOrders()).isEqualTo(10);
		}
	}

	@Test
	void endsWhenItsCheckFails() throws Exception {
		AtomicInteger checks = new AtomicInteger();
		try (OrderLedger ledger = ledger(100); OrderDriver driver = driver(ledger, gateway(this.well, 202, true))) {
			assertThatIllegalStateException().isThrownBy(() -> driver.run(RATE, () -> {
				if (checks.incrementAndGet() > 10) {
					throw new IllegalStateException("stop");
				}
			}));

			assertThat(driver.placed()).isLessThanOrEqualTo(10);
		}
	}

	private void drive(OrderLedger ledger, Gateway... gateways) throws InterruptedException {
		try (OrderDriver driver = driver(ledger, gateways)) {
			driver.run(RATE, () -> {
			});

			assertThat(driver.placed()).isEqualTo(ledger.orders());
		}
	}

	private OrderDriver driver(OrderLedger ledger, Gateway... gateways) {
		return new OrderDriver(List.of(gateways), this.identity, ledger, System.nanoTime(), Duration.ofMillis(20));
	}

	private OrderLedger ledger(int orders) throws IOException {
		return new OrderLedger(orders, 0.2, this.directory.resolve("attempts.csv"));
	}

	/** Answers every order alike, with its own Location or another one's. */
	private Gateway gateway(StubServer server, int status, boolean own) {
		if (status == 0) {
			return new Gateway("absent", URI.create("http://127.0.0.1:1"));
		}
		String name = (server == this.failing) ? "failing" : "well";
		server.on("/orders", (exchange) -> {
			String key = exchange.getRequestHeaders().getFirst(HttpNames.IDEMPOTENCY_KEY);
			this.requests.add("%s %s %s".formatted(name, key, exchange.getRequestHeaders().getFirst(HttpNames.PREFER)));
			int order = Integer.parseInt(key.replaceAll("\\D", ""));
			exchange.getResponseHeaders().set("Location", "/orders/" + this.identity.id(own ? order : order + 1));
			StubServer.answer(exchange, status, null);
		});
		return new Gateway(name, server.uri(""));
	}

}
