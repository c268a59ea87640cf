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

	@Test
	void triesTheSameOrderAtTheOtherGatewayUntilItIsAccepted() throws Exception {
		try (OrderLedger ledger = ledger(20)) {
			drive(ledger, gateway(this.failing, 503, true), gateway(this.well, 202, true));

			assertThat(ledger.count(Meaning.ACCEPTED)).isEqualTo(20);
			assertThat(ledger.attempts()).isEqualTo(30);
			assertThat(ledger.misnamedOrders()).isZero();
			assertThat(this.requests).filteredOn((request) -> request.contains("\"driver-0\"")).hasSizeBetween(1, 2);
			assertThat(this.requests).hasSize(30).allMatch((request) -> request.matches("\\w+ \"driver-\\d+\" .*"));
		}
	}

	@Test
	void givesUpAfterABoundedNumberOfAttempts() throws Exception {
		try (OrderLedger ledger = ledger(1)) {
			drive(ledger, gateway(this.failing, 503, true), gateway(this.well, 504, true));

			assertThat(ledger.attempts()).isEqualTo(OrderDriver.ATTEMPTS);
			assertThat(ledger.meaning(0)).isEqualTo(Meaning.OPEN);
		}
	}

	@Test
	void doesNotRepeatWhatIsRefusedForGood() throws Exception {
		try (OrderLedger ledger = ledger(5)) {
			drive(ledger, gateway(this.well, 422, true));

			assertThat(ledger.attempts()).isEqualTo(5);
			assertThat(ledger.count(Meaning.REFUSED)).isEqualTo(5);
		}
	}

	@Test
	void asksForEachOrdersWay() throws Exception {
		try (OrderLedger ledger = ledger(10)) {
			drive(ledger, gateway(this.well, 202, true));

			assertThat(this.requests).filteredOn((request) -> request.endsWith(" respond-async")).hasSize(8);
			assertThat(ledger.accepted(Mode.SYNC)).isEqualTo(2);
		}
	}

	@Test
	void noticesAnAnswerForAnotherOrder() throws Exception {
		try (OrderLedger ledger = ledger(3)) {
			drive(ledger, gateway(this.well, 202, false));

			assertThat(ledger.misnamedOrders()).isEqualTo(3);
		}
	}

	@Test
	void gatewayThatIsNotThereHasRefused() throws Exception {
		try (OrderLedger ledger = ledger(1)) {
			drive(ledger, new Gateway("absent", URI.create("http://127.0.0.1:1")));

			assertThat(ledger.attempts()).isEqualTo(OrderDriver.ATTEMPTS);
			assertThat(ledger.meaning(0)).isEqualTo(Meaning.REFUSED);
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
