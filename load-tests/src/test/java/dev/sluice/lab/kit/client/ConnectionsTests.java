package dev.sluice.lab.kit.client;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ConnectionsTests {

	private static final Duration LONG = Patience.ofSeconds(60);

	private final Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();

	@RegisterExtension
	private final StubServer server = new StubServer();

	@Test
	void eachOrderThatIsDueIsSentAndAnswered() throws Exception {
		answer(202);

		Requests results = run(60, LONG, new Step(20, Duration.ofSeconds(2)), new Step(10, Duration.ofSeconds(1)));

		assertThat(results.status()).hasSize(50);
		assertThat(statuses(results)).containsOnly(202);
		assertThat(this.clients).as("the connection that was idle longest").hasSize(50);
	}

	@Test
	void anOrderIsARequestAsAnyClientMakesIt() {
		OrderRequests orders = new OrderRequests(URI.create("http://127.0.0.1:8080"), Mode.QUEUED,
				new OrderIdentity("surge"), null);
		String request = new String(orders.bytes(7), StandardCharsets.US_ASCII);

		assertThat(request).startsWith("POST /orders HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n")
			.contains("Prefer: respond-async\r\n", "Idempotency-Key: \"surge-7\"\r\n\r\n{\"customerId\":\"customer-7\"")
			.contains("Content-Length: " + request.substring(request.indexOf("\r\n\r\n") + 4).length() + "\r\n");
	}

	@Test
	void aRefusalThatClosesItsConnectionIsFollowedByANewOne() throws Exception {
		this.server.on("/", (exchange) -> {
			exchange.getResponseHeaders().set("Connection", "close");
			this.clients.add(exchange.getRemoteAddress());
			StubServer.answer(exchange, 503, null);
		});

		assertThat(statuses(run(1, LONG, new Step(5, Duration.ofSeconds(1))))).isSubsetOf(503, Requests.NOT_SENT);
		assertThat(this.clients).hasSizeGreaterThan(1);
	}

	@Test
	void whatIsDueWhileNoConnectionIsIdleIsNotSentAndWhatIsNotAnsweredInTimeHasFailed() throws Exception {
		this.server.on("/", (_) -> {
			// Never answers.
		});

		// They time out only after the last of the step was due.
		Requests results = run(3, Duration.ofSeconds(2), new Step(100, Duration.ofSeconds(1)));

		assertThat(results.status()).startsWith(Requests.NOT_ANSWERED, Requests.NOT_ANSWERED, Requests.NOT_ANSWERED);
		assertThat(statuses(results)).containsOnly(Requests.NOT_ANSWERED, Requests.NOT_SENT);
	}

	@Test
	void aLoadEndsAlthoughTheServerIsGone() throws Exception {
		answer(202);
		try (Connections connections = new Connections(this.server.uri(""), Limits.keeping(2, LONG))) {
			connections.open(LONG);
			this.server.close();

			assertThat(statuses(run(connections, 2, new Step(50, Duration.ofSeconds(1)))))
				.isSubsetOf(Requests.NOT_ANSWERED, Requests.NOT_SENT);
		}
	}

	@Test
	void saysThatConnectionsCannotBeOpened() throws Exception {
		answer(202);
		try (Connections connections = new Connections(this.server.uri(""), Limits.keeping(2, LONG))) {
			this.server.close();

			assertThatExceptionOfType(LabException.class).isThrownBy(() -> connections.open(LONG))
				.withMessageContaining("Only 0 of 2 connections");
		}
	}

	private static Set<Integer> statuses(Requests requests) {
		return IntStream.of(requests.status()).boxed().collect(Collectors.toSet());
	}

	private void answer(int status) {
		this.server.on("/", (exchange) -> {
			this.clients.add(exchange.getRemoteAddress());
			StubServer.answer(exchange, status, "{}");
		});
	}

	private Requests run(int count, Duration timeout, Step... steps) throws Exception {
		try (Connections connections = new Connections(this.server.uri(""), Limits.keeping(count, timeout))) {
			connections.open(LONG);
			return run(connections, count, steps);
		}
	}

	private Requests run(Connections connections, int count, Step... steps) throws InterruptedException {
		OrderRequests orders = new OrderRequests(this.server.uri(""), Mode.QUEUED, null, null);
		return OpenClient
			.run(new OpenLoad(List.of(steps), LONG, count),
					(number, reply) -> connections.send(orders.bytes(number), reply))
			.requests();
	}

}
