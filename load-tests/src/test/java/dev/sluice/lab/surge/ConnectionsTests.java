package dev.sluice.lab.surge;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ConnectionsTests {

	private static final Duration LONG = Patience.ofSeconds(60);

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final CountDownLatch release = new CountDownLatch(1);

	private final Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();

	private final AtomicInteger requests = new AtomicInteger();

	private HttpServer server;

	@BeforeEach
	void start() throws Exception {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this.executor);
	}

	@AfterEach
	void stop() {
		this.release.countDown();
		this.server.stop(0);
		this.executor.close();
	}

	@Test
	void eachOrderThatIsDueIsSentAndAnswered() throws Exception {
		answer(202);

		Requests results = run(60, LONG, new Step(20, Duration.ofSeconds(2)), new Step(10, Duration.ofSeconds(1)));

		assertThat(results.status()).hasSize(50);
		assertThat(statuses(results)).containsOnly(202);
		assertThat(this.requests).hasValue(50);
		assertThat(this.clients).as("the connection that was idle longest").hasSize(50);
	}

	@Test
	void anOrderIsARequestAsAnyClientMakesIt() {
		String request = new String(new RawOrders(URI.create("http://127.0.0.1:8080"), Mode.QUEUED, "surge").apply(7),
				StandardCharsets.US_ASCII);

		assertThat(request).startsWith("POST /orders HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n")
			.contains("Prefer: respond-async\r\n", "Idempotency-Key: \"surge-7\"\r\n\r\n{\"customerId\":\"customer-7\"")
			.contains("Content-Length: " + request.substring(request.indexOf("\r\n\r\n") + 4).length() + "\r\n");
	}

	@Test
	void aRefusalThatClosesItsConnectionIsFollowedByANewOne() throws Exception {
		this.server.createContext("/", (exchange) -> {
			exchange.getResponseHeaders().set("Connection", "close");
			this.clients.add(exchange.getRemoteAddress());
			exchange.sendResponseHeaders(503, -1);
			exchange.close();
		});
		this.server.start();

		assertThat(statuses(run(1, LONG, new Step(5, Duration.ofSeconds(1))))).isSubsetOf(503, Requests.NOT_SENT);
		assertThat(this.clients).hasSizeGreaterThan(1);
	}

	@Test
	void whatIsDueWhileNoConnectionIsIdleIsNotSentAndWhatIsNotAnsweredInTimeHasFailed() throws Exception {
		this.server.createContext("/", (exchange) -> {
			try {
				this.release.await();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			exchange.close();
		});
		this.server.start();

		// They time out only after the last of the step was due.
		Requests results = run(3, Duration.ofSeconds(2), new Step(100, Duration.ofSeconds(1)));

		assertThat(results.status()).startsWith(Requests.NOT_ANSWERED, Requests.NOT_ANSWERED, Requests.NOT_ANSWERED);
		assertThat(statuses(results)).containsOnly(Requests.NOT_ANSWERED, Requests.NOT_SENT);
	}

	@Test
	void aLoadEndsAlthoughTheServerIsGone() throws Exception {
		answer(202);
		try (Connections connections = new Connections(uri(), 2, LONG)) {
			connections.open(LONG);
			this.server.stop(0);

			assertThat(statuses(run(connections, 2, new Step(50, Duration.ofSeconds(1)))))
				.isSubsetOf(Requests.NOT_ANSWERED, Requests.NOT_SENT);
		}
	}

	@Test
	void saysThatConnectionsCannotBeOpened() throws Exception {
		answer(202);
		try (Connections connections = new Connections(uri(), 2, LONG)) {
			this.server.stop(0);

			assertThatExceptionOfType(LabException.class).isThrownBy(() -> connections.open(LONG))
				.withMessageContaining("Only 0 of 2 connections");
		}
	}

	private static Set<Integer> statuses(Requests requests) {
		return IntStream.of(requests.status()).boxed().collect(Collectors.toSet());
	}

	private void answer(int status) {
		this.server.createContext("/", (exchange) -> {
			this.clients.add(exchange.getRemoteAddress());
			this.requests.incrementAndGet();
			exchange.getRequestBody().readAllBytes();
			byte[] body = "{}".getBytes(StandardCharsets.US_ASCII);
			exchange.sendResponseHeaders(status, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.server.start();
	}

	private Requests run(int count, Duration timeout, Step... steps) throws Exception {
		try (Connections connections = new Connections(uri(), count, timeout)) {
			connections.open(LONG);
			return run(connections, count, steps);
		}
	}

	private Requests run(Connections connections, int count, Step... steps) throws InterruptedException {
		RawOrders orders = new RawOrders(uri(), Mode.QUEUED, null);
		return OpenClient.run(new OpenLoad(List.of(steps), LONG, count),
				(number, reply) -> connections.send(orders.apply(number), reply), (_) -> {
				})
			.requests();
	}

	private URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
	}

}
