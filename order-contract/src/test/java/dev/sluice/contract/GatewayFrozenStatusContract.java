package dev.sluice.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.contract.FakeBackend.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How every gateway behaves while Kafka works and PostgreSQL accepts connections but does
 * not answer: it accepts orders. The backend breaks each connection, or is frozen too.
 */
public abstract class GatewayFrozenStatusContract extends RunningGateway {

	private static final int ORDERS = 40;

	private static final FakeBackend BACKEND = brokenBackend();

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

	@Test
	void acceptsOrdersWithKeysAndSoonStopsAskingForThem() throws Exception {
		assertSoonNotAsked(() -> {
			String unanswered = "sluice_key_lookup_seconds_count{outcome=\"unanswered\"}";
			double before = metric(unanswered);
			UUID run = UUID.randomUUID();
			for (int i = 0; i < ORDERS; i++) {
				HttpResponse<String> response = post(ORDER, "Prefer", "respond-async", "Idempotency-Key",
						"\"frozen-" + i + " " + run + '"');
				assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
			}
			assertThat(metric(unanswered) - before).isGreaterThanOrEqualTo(ORDERS);
		});
	}

	/** They are more than the servlet container has threads. */
	@Test
	void answersOtherRequestsWhileTheBackendHoldsSyncOrders() throws Exception {
		BACKEND.reply(Reply.saved());
		await().until(() -> post(ORDER).statusCode() == 201
				&& metric("resilience4j_circuitbreaker_state{name=\"backend\",state=\"closed\"}") == 1);
		CountDownLatch thaw = new CountDownLatch(1);
		int before = BACKEND.requests().size();
		BACKEND.reply((socket, request) -> {
			thaw.await();
			Reply.saved().to(socket, request);
		});
		HttpRequest sync = order(gateway(), BodyPublishers.ofString(ORDER)).timeout(Duration.ofHours(1)).build();
		List<CompletableFuture<HttpResponse<String>>> responses = Stream
			.generate(() -> this.client.sendAsync(sync, BodyHandlers.ofString()))
			.limit(215)
			.toList();
		try {
			await().until(() -> BACKEND.requests().size() - before
					+ responses.stream().filter(CompletableFuture::isDone).count() >= 200);

			// Not by get: the document names the problem that makes it send again.
			HttpRequest document = HttpRequest.newBuilder(gateway().resolve("/openapi.json")).timeout(PATIENCE).build();
			assertThat(this.client.send(document, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
			assertThat(post(ORDER, "Prefer", "respond-async").statusCode()).isEqualTo(202);
			assertThat(BACKEND.requests()).hasSizeGreaterThan(before);
		}
		finally {
			thaw.countDown();
		}
		for (CompletableFuture<HttpResponse<String>> pending : responses) {
			HttpResponse<String> response = pending.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			if (response.statusCode() != 201) {
				assertProblem(response, 503, "overloaded");
				assertPlaced(response, "no");
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
		HttpResponse<String> response = post(ORDER, "Idempotency-Key", "\"frozen sync " + UUID.randomUUID() + '"');

		assertProblem(response, 503, "status-unavailable");
		assertPlaced(response, "no");
	}

	/** Kafka has the order and is enough to detect it, without PostgreSQL. */
	@Test
	void refusesAnotherPayloadUnderAKeyThatKafkaKnows() throws Exception {
		String key = "\"known to Kafka " + UUID.randomUUID() + '"';
		assertThat(post(ORDER, "Idempotency-Key", key, "Prefer", "respond-async").statusCode()).isEqualTo(202);

		String another = ORDER.replace("tea", "coffee");
		assertThat(post(another, "Idempotency-Key", key, "Prefer", "respond-async").statusCode()).isEqualTo(422);
		// PostgreSQL may have an earlier order, which may be this one.
		assertThat(post(another, "Idempotency-Key", key).statusCode()).isEqualTo(503);
	}

	@Test
	void tellsWhatItRemembersAndSoonAsksForNothingMore() throws Exception {
		String location = header(post(ORDER, "Prefer", "respond-async"), "Location").orElseThrow();

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
			double before = metric(notAsked);
			requests.send();
			return metric(notAsked) - before > ORDERS / 2.0;
		});
	}

	@Test
	void waitsForNothingThatPostgresWouldHaveToSay() throws Exception {
		HttpResponse<String> response = post(ORDER, "Prefer", "respond-async, wait=10");

		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
		assertThat(header(response, "Preference-Applied")).hasValue("respond-async");
	}

	/**
	 * Sends again, as a client does, if the gateway has no Kafka for the moment: it has
	 * stood still, or another test has just deleted a topic.
	 */
	@Override
	HttpResponse<String> send(HttpRequest.Builder request) {
		return await().until(() -> super.send(request),
				(response) -> !response.body().contains("urn:sluice:problem:queue-unavailable"));
	}

	@FunctionalInterface
	private interface Requests {

		void send() throws Exception;

	}

}
