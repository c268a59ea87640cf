package dev.sluice.contract;

import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How every gateway behaves that was started while Kafka, PostgreSQL and the backend were
 * all down: it runs, and answers at once what it cannot do.
 */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock(GatewayEdgeContract.JVM)
public abstract class GatewayOutageContract extends RunningGateway {

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private final HttpClient client = HttpClient.newHttpClient();

	@AfterAll
	void closeClient() {
		this.client.close();
	}

	@Test
	void isAliveButNotReady() throws Exception {
		assertThat(manage("/actuator/health/liveness").statusCode()).isEqualTo(200);
		assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(503);
		assertThat(JsonPath.<String>read(manage("/actuator/health").body(), "$.components.queue.status"))
			.isEqualTo("DOWN");
	}

	@Test
	void saysThatTheBackendIsUnavailable() throws Exception {
		HttpResponse<String> response = post();

		assertUnavailable(response, "backend-unavailable");
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("unknown");
	}

	@Test
	void saysThatTheQueueIsUnavailableAndHasTakenNothing() throws Exception {
		HttpResponse<String> response = post("Prefer", "respond-async");

		assertUnavailable(response, "queue-unavailable");
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("no");
	}

	/** PostgreSQL is down too, so it is unknown what the key was used for. */
	@Test
	void refusesSyncOrdersWhoseKeyCannotBeLookedUp() throws Exception {
		HttpResponse<String> response = post("Idempotency-Key", "\"a key\"");

		assertUnavailable(response, "status-unavailable");
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("no");
	}

	@Test
	void saysThatTheStatusIsUnavailable() throws Exception {
		HttpResponse<String> response = get("/orders/" + UUID.randomUUID());

		assertUnavailable(response, "status-unavailable");
		assertThat(response.body()).doesNotContain("placed");
	}

	/** The gateway's limit is 5 orders at once, and one every 100 s. */
	@Test
	void refusesOneCustomersOrdersBeyondTheLimit() throws Exception {
		String order = ORDER.replace("c-1", "c-eager");
		for (int i = 0; i < 5; i++) {
			assertThat(send(order(order)).statusCode()).isEqualTo(503);
		}

		HttpResponse<String> response = send(order(order));

		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(Integer.parseInt(response.headers().firstValue("Retry-After").orElse(""))).isBetween(1, 100);
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:too-many-requests");
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo("no");
		assertThat(send(order(ORDER.replace("c-1", "c-patient"))).statusCode()).isEqualTo(503);
	}

	@Test
	void saysThatFailedOrdersCannotBeFound() throws Exception {
		assertUnavailable(get("/orders?status=failed"), "status-unavailable");
		HttpResponse<String> redelivery = send(
				HttpRequest.newBuilder(gateway().resolve("/orders/" + UUID.randomUUID() + "/redelivery"))
					.POST(BodyPublishers.noBody()));
		assertUnavailable(redelivery, "status-unavailable");
		assertThat(JsonPath.<String>read(redelivery.body(), "$.placed")).isEqualTo("no");
	}

	@Test
	void stillSaysWhatIsWrongWithARequest() throws Exception {
		assertThat(get("/orders/1").statusCode()).isEqualTo(400);
		assertThat(get("/nothing").statusCode()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET /orders/x HTTP/9.9", "CONNECT /orders HTTP/1.1" })
	void blamesTheClientForARequestLineThatItDoesNotKnow(String line) throws Exception {
		try (Socket socket = new Socket(gateway().getHost(), gateway().getPort())) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream()
				.write((line + "\r\nHost: a\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));

			assertThat(new String(socket.getInputStream().readNBytes(10), StandardCharsets.US_ASCII))
				.isEqualTo("HTTP/1.1 4");
		}
	}

	private static void assertUnavailable(HttpResponse<String> response, String type) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:" + type);
	}

	private HttpResponse<String> post(String... headers) throws Exception {
		HttpRequest.Builder request = order(ORDER);
		return send((headers.length > 0) ? request.headers(headers) : request);
	}

	private HttpRequest.Builder order(String order) {
		return HttpRequest.newBuilder(gateway().resolve("/orders"))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(order));
	}

	private HttpResponse<String> get(String path) throws Exception {
		return send(HttpRequest.newBuilder(gateway().resolve(path)));
	}

	private HttpResponse<String> manage(String path) throws Exception {
		return send(HttpRequest.newBuilder(management().resolve(path)));
	}

	private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
		HttpRequest sent = request.timeout(PATIENCE).build();
		try {
			return DescribedApi.instance().checked(sent, this.client.send(sent, BodyHandlers.ofString()));
		}
		catch (HttpTimeoutException ex) {
			// The gateway runs in this JVM: only its threads show where it hangs.
			String threads = Thread.getAllStackTraces()
				.entrySet()
				.stream()
				.map((thread) -> "%s %s%n\t%s".formatted(thread.getKey(), thread.getKey().getState(),
						Arrays.stream(thread.getValue()).map(String::valueOf).collect(Collectors.joining("\n\t"))))
				.collect(Collectors.joining("\n\n"));
			throw new AssertionError("No answer. All threads:\n" + threads, ex);
		}
	}

}
