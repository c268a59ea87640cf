package dev.sluice.lab.pool;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.client.Connections.Limits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DispatcherTests {

	private static final long SHORT_PAUSE_MILLIS = 2;

	private final CountDownLatch release = new CountDownLatch(1);

	/** Number of requests that wait for their answer. */
	private final AtomicInteger waiting = new AtomicInteger();

	@RegisterExtension
	private final StubServer server = new StubServer();

	@BeforeEach
	void start() {
		this.server.on("/", (exchange) -> {
			this.waiting.incrementAndGet();
			try {
				this.release.await();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			this.waiting.decrementAndGet();
			StubServer.answer(exchange, 200, "ok");
		});
	}

	@Test
	void holdsNoMoreInFlightThanItMayAndDispatchesTheOthersAsThoseEnd() {
		try (Dispatcher dispatcher = dispatcher(PoolExperiment.NEW, 3)) {
			dispatcher.produce(10);

			assertThat(dispatcher.status(0).inFlight()).isEqualTo(3);
			assertThat(dispatcher.status(0).queued()).isEqualTo(7);

			this.release.countDown();
			await().untilAsserted(() -> assertThat(dispatcher.status(0).written()).isEqualTo(10));
			assertBalance(dispatcher.status(0));
		}
	}

	@Test
	void keepsConnectionsAndNoMoreThanItMay() {
		try (Dispatcher dispatcher = dispatcher(new Limits(4, 2, Patience.ofSeconds(60), Patience.ofSeconds(60)),
				100)) {
			dispatcher.produce(50);
			await().untilAsserted(() -> assertThat(this.waiting.get()).isEqualTo(4));
			assertThat(dispatcher.status(0).openConnections()).isEqualTo(4);

			this.release.countDown();

			await().untilAsserted(() -> {
				assertThat(dispatcher.status(0).written()).isEqualTo(50);
				assertThat(dispatcher.status(0).openConnections()).isLessThanOrEqualTo(2);
			});
			assertThat(dispatcher.status(0).openedConnections()).isLessThan(50);
		}
	}

	@Test
	void opensAConnectionForEachMessageIfNoneIsKept() {
		this.release.countDown();
		try (Dispatcher dispatcher = dispatcher(PoolExperiment.NEW, 100)) {
			dispatcher.produce(20);

			await().untilAsserted(() -> assertThat(dispatcher.status(0).written()).isEqualTo(20));
			assertThat(dispatcher.status(0).openedConnections()).isEqualTo(20);
			await().untilAsserted(() -> assertThat(dispatcher.status(0).openConnections()).isZero());
		}
	}

	@Test
	void opensANewConnectionForOneThatWasUnusedForTooLong() {
		this.release.countDown();
		try (Dispatcher dispatcher = dispatcher(new Limits(1, 1, Patience.ofSeconds(60), Duration.ZERO), 1)) {
			dispatcher.produce(3);

			await().untilAsserted(() -> assertThat(dispatcher.status(0).written()).isEqualTo(3));
			assertThat(dispatcher.status(0).openedConnections()).isEqualTo(3);
		}
	}

	@Test
	void givesAMessageUpAfterItsAttempts() {
		URI nobody = URI.create("http://127.0.0.1:1/");
		try (Dispatcher dispatcher = new Dispatcher(nobody, PoolExperiment.KEPT, 10, SHORT_PAUSE_MILLIS)) {
			dispatcher.produce(5);

			await().untilAsserted(() -> assertThat(dispatcher.status(0).errors()).isEqualTo(5));
			assertThat(dispatcher.status(0).failedAttempts()).isEqualTo(5 * Dispatcher.ATTEMPTS);
			assertBalance(dispatcher.status(0));
		}
	}

	@Test
	void tellsTheReferencesMeanAndTheTruePercentile() {
		this.release.countDown();
		try (Dispatcher dispatcher = dispatcher(PoolExperiment.NEW, 100)) {
			dispatcher.produce(200);

			await().untilAsserted(() -> assertThat(dispatcher.status(0).written()).isEqualTo(200));
			assertThat(dispatcher.status(0).shares()).extracting((share) -> share.written())
				.containsExactly(200L, 199L, 199L, 198L, 190L, 180L);
			assertThat(dispatcher.status(0).shares())
				.allSatisfy((share) -> assertThat(share.meanMillis()).isBetween(share.minMillis(), share.maxMillis()));
			assertThat(dispatcher.status(0).shares()).filteredOn((share) -> share.percentileMillis() != null)
				.allSatisfy((share) -> assertThat(share.percentileMillis()).isGreaterThanOrEqualTo(share.maxMillis()))
				.extracting((share) -> share.percent())
				.containsExactly(95.0, 90.0);
		}
	}

	private Dispatcher dispatcher(Limits limits, int concurrency) {
		return new Dispatcher(this.server.uri("/"), limits, concurrency, SHORT_PAUSE_MILLIS);
	}

	private static void assertBalance(Status status) {
		assertThat(status.queued() + status.inFlight() + status.written() + status.errors())
			.isEqualTo(status.produced());
	}

}
