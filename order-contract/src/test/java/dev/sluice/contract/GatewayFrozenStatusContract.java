package dev.sluice.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.contract.FakeBackend.Reply;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How every gateway behaves while Kafka works and PostgreSQL accepts connections but does
 * not answer: it accepts orders. The backend breaks each connection, or is frozen too.
 */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock(GatewayEdgeContract.JVM)
public abstract class GatewayFrozenStatusContract extends RunningGateway {

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	private static final int ORDERS = 40;

	private static final FakeBackend BACKEND = brokenBackend();

	private final HttpClient client = HttpClient.newHttpClient();

	private static FakeBackend brokenBackend() {
		try {
			FakeBackend backend = new FakeBackend();
			backend.reply(Reply.reset());
			return backend;
		}
		catch (IOException ex) {
			throw new IllegalStateException("No port to listen on", ex);
		}
	}

	/** The properties of a gateway that calls {@link #BACKEND}. */
	public static Map<String, Object> backend() {
		return Map.of("backend.url", BACKEND.uri(), "backend.connect-timeout", "1m", "backend.response-timeout", "10m");
	}

	/** A server whose connections the kernel accepts and nothing reads. */
	public static ServerSocket frozenServer() {
		try {
			return new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new IllegalStateException("No port to listen on", ex);
		}
	}

	@BeforeAll
	void isReady() {
		await().untilAsserted(() -> assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(200));
	}

	@AfterAll
	void closeClient() {
		this.client.close();
	}

	@Test
	void acceptsOrdersWithKeysAndSoonStopsAskingForThem() throws Exception {
		assertSoonNotAsked(() -> {
			String unanswered = "sluice_key_lookup_seconds_count{outcome=\"unanswered\"}";
			double before = value(unanswered);
			UUID run = UUID.randomUUID();
			for (int i = 0; i < ORDERS; i++) {
				HttpResponse<String> response = send(HttpRequest.newBuilder(gateway().resolve("/orders"))
					.header("Content-Type", "application/json")
					.header("Prefer", "respond-async")
					.header("Idempotency-Key", "\"frozen-" + i + " " + run + '"')
					.POST(BodyPublishers.ofString(ORDER)));
				assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
			}
			assertThat(value(unanswered) - before).isGreaterThanOrEqualTo(ORDERS);
		});
	}

	/** They are more than the servlet container has threads. */
	@Test
	void answersOtherRequestsWhileTheBackendHoldsSyncOrders() throws Exception {
		HttpRequest.Builder order = HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(ORDER));
		HttpRequest sync = order.build();
		BACKEND.reply(Reply.saved());
		await().until(() -> send(order.copy()).statusCode() == 201
				&& value("resilience4j_circuitbreaker_state{name=\"backend\",state=\"closed\"}") == 1);
		CountDownLatch thaw = new CountDownLatch(1);
		int before = BACKEND.requests().size();
		BACKEND.reply((socket, request) -> {
			thaw.await();
			Reply.saved().to(socket, request);
		});
		List<CompletableFuture<HttpResponse<String>>> responses = Stream
			.generate(() -> this.client.sendAsync(sync, BodyHandlers.ofString()))
			.limit(215)
			.toList();
		try {
			await().until(() -> BACKEND.requests().size() - before
					+ responses.stream().filter(CompletableFuture::isDone).count() >= 200);

			// Not by get: the document names the problem that makes it send again.
			HttpRequest document = HttpRequest.newBuilder(gateway().resolve("/openapi.json"))
				.timeout(Patience.ofSeconds(60))
				.build();
			assertThat(this.client.send(document, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
			assertThat(send(order.header("Prefer", "respond-async")).statusCode()).isEqualTo(202);
			assertThat(BACKEND.requests()).hasSizeGreaterThan(before);
		}
		finally {
			thaw.countDown();
		}
		for (CompletableFuture<HttpResponse<String>> pending : responses) {
			HttpResponse<String> response = pending.get(Patience.ofSeconds(60).toMillis(), TimeUnit.MILLISECONDS);
			if (response.statusCode() != 201) {
				assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
				assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
				assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:overloaded");
				assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("no");
			}
		}
	}

	/** Not before each order has its answer: some arrive late. */
	@AfterEach
	void breakBackend() {
		BACKEND.reply(Reply.reset());
	}

	/** Otherwise an order that was accepted under the key might be replaced. */
	@Test
	void refusesSyncOrdersWhoseKeyCannotBeLookedUp() throws Exception {
		HttpResponse<String> response = send(HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", "\"frozen sync " + UUID.randomUUID() + '"')
			.POST(BodyPublishers.ofString(ORDER)));

		assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
		assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:status-unavailable");
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("no");
	}

	/** Kafka has the order and is enough to detect it, without PostgreSQL. */
	@Test
	void refusesAnotherPayloadUnderAKeyThatKafkaKnows() throws Exception {
		HttpRequest.Builder order = HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", "\"known to Kafka " + UUID.randomUUID() + '"');
		assertThat(
				send(order.copy().header("Prefer", "respond-async").POST(BodyPublishers.ofString(ORDER))).statusCode())
			.isEqualTo(202);

		BodyPublisher another = BodyPublishers.ofString(ORDER.replace("tea", "coffee"));
		assertThat(send(order.copy().header("Prefer", "respond-async").POST(another)).statusCode()).isEqualTo(422);
		// PostgreSQL may have an earlier order, which may be this one.
		assertThat(send(order.POST(another)).statusCode()).isEqualTo(503);
	}

	@Test
	void tellsWhatItRemembersAndSoonAsksForNothingMore() throws Exception {
		HttpResponse<String> order = send(HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Prefer", "respond-async")
			.POST(BodyPublishers.ofString(ORDER)));
		String location = order.headers().firstValue("Location").orElseThrow();

		assertSoonNotAsked(() -> {
			for (int i = 0; i < ORDERS; i++) {
				HttpResponse<String> response = get(location);
				assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
				assertThat(JsonPath.<String>read(response.body(), "$.status")).isEqualTo("accepted");
			}
		});
	}

	/**
	 * Most of so many requests do not ask PostgreSQL. It is asked again every second, so
	 * on a machine that stands still meanwhile they are repeated.
	 */
	private void assertSoonNotAsked(Requests requests) {
		String notAsked = "resilience4j_circuitbreaker_not_permitted_calls_total{kind=\"not_permitted\",name=\"status";
		await().until(() -> {
			double before = value(notAsked);
			requests.send();
			return value(notAsked) - before > ORDERS / 2.0;
		});
	}

	@Test
	void waitsForNothingThatPostgresWouldHaveToSay() throws Exception {
		HttpResponse<String> response = send(HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Prefer", "respond-async, wait=10")
			.POST(BodyPublishers.ofString(ORDER)));

		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
		assertThat(response.headers().firstValue("Preference-Applied")).hasValue("respond-async");
	}

	private double value(String metric) {
		return manage("/actuator/prometheus").body()
			.lines()
			.filter((line) -> line.startsWith(metric))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
			.sum();
	}

	private HttpResponse<String> get(String path) {
		return send(HttpRequest.newBuilder(gateway().resolve(path)));
	}

	private HttpResponse<String> manage(String path) {
		return send(HttpRequest.newBuilder(management().resolve(path)));
	}

	/**
	 * Sends again, as a client does, if the gateway has no Kafka for the moment: it has
	 * stood still, or another test has just deleted a topic.
	 */
	private HttpResponse<String> send(HttpRequest.Builder request) {
		HttpRequest sent = request.timeout(Patience.ofSeconds(60)).build();
		return await().until(
				() -> DescribedApi.instance().checked(sent, this.client.send(sent, BodyHandlers.ofString())),
				(response) -> !response.body().contains("urn:sluice:problem:queue-unavailable"));
	}

	@FunctionalInterface
	private interface Requests {

		void send() throws Exception;

	}

}
