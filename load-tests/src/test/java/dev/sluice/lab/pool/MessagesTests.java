package dev.sluice.lab.pool;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.result.PoolResult.Share;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class MessagesTests {

	private static final Limits ONE_UNUSED_FOR_NO_TIME = new Limits(1, 1, Patience.ofSeconds(60), Duration.ZERO);

	@RegisterExtension
	private final StubServer server = new StubServer().on("/", 200, "ok");

	@Test
	void opensAConnectionForEachMessageIfNoneIsKept() throws Exception {
		try (Messages messages = messages(this.server.uri("/"), PoolExperiment.NEW)) {
			assertThat(send(messages)).containsOnly(200);
			assertThat(messages.connections().opened()).isEqualTo(20);
			await().untilAsserted(() -> assertThat(messages.connections().open()).isZero());
		}
	}

	@Test
	void opensANewConnectionForOneThatWasUnusedForTooLong() throws Exception {
		try (Messages messages = messages(this.server.uri("/"), ONE_UNUSED_FOR_NO_TIME)) {
			assertThat(send(messages)).containsOnly(200);
			assertThat(messages.connections().opened()).isEqualTo(20);
		}
	}

	@Test
	void keepsNoMoreUnusedConnectionsThanItMay() throws Exception {
		try (Messages messages = messages(this.server.uri("/"), PoolExperiment.KEPT)) {
			assertThat(send(messages)).containsOnly(200);
			await().untilAsserted(
					() -> assertThat(messages.connections().open()).isBetween(1, PoolExperiment.KEPT.mostFree()));
		}
	}

	@Test
	void givesAMessageUpAfterItsAttempts() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		this.server.on("/busy", (exchange) -> {
			attempts.incrementAndGet();
			StubServer.answer(exchange, 503, null);
		});

		try (Messages messages = messages(this.server.uri("/busy"), PoolExperiment.KEPT)) {
			assertThat(send(messages)).containsOnly(Requests.NOT_ANSWERED);
		}
		assertThat(attempts).hasValue(20 * Messages.ATTEMPTS);
	}

	@Test
	void tellsTheReferencesMeanAndTheTruePercentile() {
		int[] status = new int[210];
		Arrays.fill(status, 0, 200, 200);
		int[] micros = IntStream.range(0, 210).map((number) -> 1_000 * (number + 1)).toArray();

		List<Share> shares = PoolExperiment.shares(new Requests(Instant.EPOCH, micros, micros, status));

		assertThat(shares).extracting(Share::written).containsExactly(200L, 199L, 199L, 198L, 190L, 180L);
		assertThat(shares).element(4).isEqualTo(new Share(95, 190, 95.5, 1, 190, 190.0));
		assertThat(shares).element(3).isEqualTo(new Share(99, 198, 99.5, 1, 198, null));
	}

	private static Messages messages(URI target, Limits limits) {
		return new Messages(target, limits, 2);
	}

	/** Sends twenty; returns what became of each. */
	private static List<Integer> send(Messages messages) throws InterruptedException {
		OpenLoad load = new OpenLoad(20, Duration.ofSeconds(1), Patience.ofSeconds(60), 20);
		return IntStream.of(OpenClient.run(load, messages).requests().status()).boxed().toList();
	}

}
