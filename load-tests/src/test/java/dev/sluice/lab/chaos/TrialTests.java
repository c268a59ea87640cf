package dev.sluice.lab.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.lab.chaos.faults.FaultInjector.Fault;
import dev.sluice.lab.chaos.ledger.Gateways;
import dev.sluice.lab.chaos.ledger.Gateways.Gateway;
import dev.sluice.lab.chaos.ledger.OrderWitness;
import dev.sluice.lab.kit.measure.SavedSampler;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** With a gateway that saves every order at once. */
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
			if (this.received.incrementAndGet() > ORDERS) {
				this.loadIsOver.countDown();
			}
			exchange.sendResponseHeaders(201, -1);
			exchange.close();
		});
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
		Gateways gateways = new Gateways(
				List.of(new Gateway("a", URI.create("http://127.0.0.1:" + this.gateway.getAddress().getPort()))), null,
				null);
		List<Fault> faults = List.of(new Fault(1, "consumer", "kill", "one", 0, this.loadIsOver::await),
				new Fault(2, "broker", "kill", "two", 0, this.loadIsOver::await),
				new Fault(3, "postgres", "kill", "three", 0, this.loadIsOver::await));

		trial.run(gateways, new OrderIdentity("trial"), faults, () -> SavedSampler.UNKNOWN, AllSaved::new);

		assertThat(this.received).hasValue(ORDERS);
		ChaosResult chaos = trial.result(1);
		assertThat(chaos.balance().placed()).isEqualTo(ORDERS);
		assertThat(chaos.faults()).extracting(ChaosResult.Fault::target)
			.containsExactlyInAnyOrder("consumer", "broker", "postgres");
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

	/** Has saved every order. */
	private static final class AllSaved implements OrderWitness {

		@Override
		public void awaitQuiet(long deadline, Consumer<String> progress) {
		}

		@Override
		public Fate fate(UUID id) {
			return new Fate(OrderStatus.SAVED, null);
		}

		@Override
		public BackendAudit counts() {
			return new BackendAudit(ORDERS, ORDERS, 0, 0, 0, 0, 1, 1, 0, null);
		}

		@Override
		public void close() {
		}

	}

}
