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
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.SurgeResult.Step;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.surge.ConnectionLoad.Results;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class ConnectionLoadTests {

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

		Results results = run(60, LONG, new Step(20, 2), new Step(10, 1));

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

		try (ConnectionLoad load = load(1, LONG)) {
			load.open(LONG);

			await().until(() -> {
				Results results = load.run(List.of(new Step(1, 1)), new RawOrders(uri(), Mode.QUEUED, null), (_) -> {
				});
				assertThat(statuses(results)).isSubsetOf(503, (int) ConnectionLoad.NOT_SENT);
				return this.clients.size() > 1;
			});
		}
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
		Results results = run(3, Duration.ofSeconds(2), new Step(100, 1));

		assertThat(results.status()).startsWith(ConnectionLoad.BROKEN, ConnectionLoad.BROKEN, ConnectionLoad.BROKEN);
		assertThat(statuses(results)).containsOnly((int) ConnectionLoad.BROKEN, (int) ConnectionLoad.NOT_SENT);
	}

	@Test
	void aLoadEndsAlthoughTheServerIsGone() throws Exception {
		answer(202);
		try (ConnectionLoad load = load(2, LONG)) {
			load.open(LONG);
			this.server.stop(0);

			Results results = load.run(List.of(new Step(50, 1)), (_) -> "x".getBytes(StandardCharsets.US_ASCII),
					(_) -> {
					});

			assertThat(statuses(results)).isSubsetOf((int) ConnectionLoad.BROKEN, (int) ConnectionLoad.NOT_SENT);
		}
	}

	@Test
	void saysThatConnectionsCannotBeOpened() throws Exception {
		answer(202);
		try (ConnectionLoad load = load(2, LONG)) {
			this.server.stop(0);

			assertThatExceptionOfType(LabException.class).isThrownBy(() -> load.open(Duration.ofMillis(300)))
				.withMessageContaining("Only 0 of 2 connections");
		}
	}

	private static Set<Integer> statuses(Results results) {
		return IntStream.range(0, results.status().length)
			.mapToObj((number) -> (int) results.status()[number])
			.collect(Collectors.toSet());
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

	private Results run(int connections, Duration timeout, Step... steps) throws Exception {
		try (ConnectionLoad load = load(connections, timeout)) {
			load.open(LONG);
			return load.run(List.of(steps), new RawOrders(uri(), Mode.QUEUED, null), (_) -> {
			});
		}
	}

	private ConnectionLoad load(int connections, Duration timeout) {
		return new ConnectionLoad(uri(), connections, timeout);
	}

	private URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
	}

}
