package dev.sluice.backend;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.SavedOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** The backend's behaviour over HTTP, with any store. */
abstract class BackendHttpContract extends BackendHttp {

	@Test
	void exportsWhenEachOrderWasSaved() {
		UUID id = UUID.randomUUID();
		SavedOrder saved = saved(post(id, ORDER), HttpStatus.CREATED);

		byte[] orders = WebTestClient.bindToServer()
			.baseUrl("http://127.0.0.1:" + this.port)
			.responseTimeout(DEADLINE)
			.build()
			.get()
			.uri("/audit/orders")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.returnResult()
			.getResponseBodyContent();

		ByteBuffer bytes = ByteBuffer.wrap(orders);
		assertThat(new UUID(bytes.getLong(), bytes.getLong())).isEqualTo(id);
		assertThat(OrderStore.instant(bytes.getLong())).isEqualTo(saved.savedAt());
		assertThat(bytes.hasRemaining()).isFalse();
	}

	@Test
	void savesAnOrderOnceAndTellsOfIt() {
		UUID id = UUID.randomUUID();

		SavedOrder first = saved(post(id, ORDER), HttpStatus.CREATED);

		assertThat(first.id()).isEqualTo(id);
		assertThat(saved(post(id, ORDER), HttpStatus.OK)).isEqualTo(first);
		assertThat(saved(this.client.get().uri("/orders/{id}", id).exchange(), HttpStatus.OK)).isEqualTo(first);
		this.client.get().uri("/orders/count").exchange().expectBody().json("{\"saved\":1}");
		BackendAudit audit = audit();
		assertThat(audit.received()).isEqualTo(2);
		assertThat(audit.saved()).isEqualTo(1);
		assertThat(audit.duplicates()).isEqualTo(1);
		assertThat(audit.lastSavedAt()).isEqualTo(first.savedAt());
	}

	@Test
	void refusesAnIdThatWasUsedForAnotherOrder() {
		UUID id = UUID.randomUUID();
		post(id, ORDER).expectStatus().isCreated();

		expectProblem(post(id, ORDER.replace("c-1", "c-2")), 422, "urn:sluice:problem:key-reused");

		assertThat(audit().saved()).isEqualTo(1);
	}

	@Test
	void throttlesWhatIsBeyondTheRate() {
		putBehaviour("""
				{"delay":{"kind":"fixed","millis":0},"errorStatus":503,
				"capacity":{"model":"rate","perSecond":0.001,"burst":2}}""").expectStatus().isOk();
		post(UUID.randomUUID(), ORDER).expectStatus().isCreated();
		post(UUID.randomUUID(), ORDER).expectStatus().isCreated();

		WebTestClient.ResponseSpec throttled = post(UUID.randomUUID(), ORDER);

		throttled.expectHeader()
			.value("Retry-After", (seconds) -> assertThat(Long.parseLong(seconds)).isBetween(1L, 1_000L));
		expectProblem(throttled, 429, "urn:sluice:problem:too-many-requests");
		assertThat(audit().saved()).isEqualTo(2);
		assertThat(audit().refused()).isEqualTo(1);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "x", "5b3f8d5e-93a4-4d06-b0b0-96a8ff7b7d3a", "\"5b3f8d5e-93a4-4d06-b0b0-96a8ff7b7d3\"",
			"\"1-1-1-1-1\"", "\"zb3f8d5e-93a4-4d06-b0b0-96a8ff7b7d3a\"" })
	void refusesAKeyThatIsNoQuotedUuid(String key) {
		expectProblem(this.client.post()
			.uri("/orders")
			.headers((headers) -> headers.addAll("Idempotency-Key", Stream.ofNullable(key).toList()))
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue(ORDER)
			.exchange(), 400, "urn:sluice:problem:invalid-request");

		assertThat(audit().received()).isZero();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { " ", "null", "[]", "{", "{}", "{\"customerId\":\"c\"}", "{\"customerId\":\"c\",\"items\":[]}",
					"{\"customerId\":\"c\",\"items\":[{\"sku\":\"a\",\"quantity\":\"many\"}]}" })
	void refusesWhatIsNoOrder(String body) {
		expectProblem(post(UUID.randomUUID(), body), 400, "urn:sluice:problem:invalid-order");

		assertThat(audit().received()).isZero();
	}

	@Test
	void namesTheFieldThatIsUnknown() {
		post(UUID.randomUUID(), ORDER.replace("customerId", "customer")).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString().startsWith("customer: ").doesNotContain("dev.sluice"));
	}

	@Test
	void refusesABodyThatIsTooLarge() {
		expectProblem(post(UUID.randomUUID(), ORDER + " ".repeat(64 * 1024)), 413, "urn:sluice:problem:too-large");
		post(UUID.randomUUID(), ORDER + " ".repeat(64 * 1024 - ORDER.length())).expectStatus().isCreated();
	}

	@Test
	void refusesABodyThatIsTooLargeAndDoesNotSayHowLargeItIs() throws IOException {
		try (Socket socket = connect()) {
			String head = "POST /orders HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \"" + UUID.randomUUID()
					+ "\"\r\nTransfer-Encoding: chunked\r\n\r\n";
			socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
			String chunk = "2000\r\n" + " ".repeat(0x2000) + "\r\n";
			for (int i = 0; i < 9; i++) {
				socket.getOutputStream().write(chunk.getBytes(StandardCharsets.US_ASCII));
			}

			assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/orders/5b3f8d5e-93a4-4d06-b0b0-96a8ff7b7d3a", "/orders/x", "/nothing", "/12x" })
	void knowsNothingElse(String path) {
		this.client.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void answersAfterTheDelayAskedFor() {
		this.client.get().uri("/3").exchange().expectStatus().isOk().expectBody().json("{\"delayMillis\":3}");
		this.client.get().uri("/0").exchange().expectStatus().isOk();
		expectProblem(this.client.get().uri("/600001").exchange(), 400, "urn:sluice:problem:invalid-request");

		assertThat(audit().received()).isZero();
	}

	static Stream<BackendBehaviour> behaviours() {
		return Stream.of(BackendBehaviour.DEFAULT,
				new BackendBehaviour(new Delay.LogNormal(5, 50), 0.1, 500, 0.2, 0.3, 1_000,
						new Capacity.Starved(2, 1.5, 50, 1_000)),
				new BackendBehaviour(new Delay.Uniform(5, 5), 0.5, 400, 0.25, 0.25, 0,
						new Capacity.Starved(3, 0.1, 3, 0)),
				new BackendBehaviour(new Delay.LogNormal(5, 5), 0, 599, 0, 0, 0, new Capacity.Workers(1, 0))
					.withSpecials(new Special("a", 0, 400), new Special("b", 600_000, 0)));
	}

	@ParameterizedTest
	@MethodSource("behaviours")
	void keepsTheBehaviourPut(BackendBehaviour behaviour) {
		putBehaviour(this.json.writeValueAsString(behaviour)).expectStatus()
			.isOk()
			.expectBody(BackendBehaviour.class)
			.isEqualTo(behaviour);

		this.client.get().uri("/behaviour").exchange().expectBody(BackendBehaviour.class).isEqualTo(behaviour);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					{"delay":{"kind":"fixed","millis":600001}}                                             | delay.millis
					{"delay":{"kind":"uniform","minMillis":6,"maxMillis":5}}                               | delay
					{"delay":{"kind":"log-normal","medianMillis":6,"p99Millis":5}}                         | delay
					{"delay":{"kind":"log-normal","medianMillis":6,"p99Millis":600001}}                    | delay.p99Millis
					{"errorRate":-0.1}                                                                     | errorRate
					{"speed":1}                                                                            | speed
					{"errorRate":0.5,"hangRate":0.3,"resetRate":0.3}                                       | The document
					{"capacity":{"model":"workers","workers":0}}                                           | capacity.workers
					{"capacity":{"model":"workers","workers":1,"queue":2147483647}}                        | capacity.queue
					{"capacity":{"model":"starved","initialWorkers":2,"maxWorkers":1,"growthPerSecond":1}} | capacity
					{"capacity":{"model":"starved","initialWorkers":1,"maxWorkers":1}}                     | capacity.growthPerSecond
					{"capacity":{"model":"starved","initialWorkers":1,"maxWorkers":1,"growthPerSecond":1e4}} | capacity.growthPerSecond
					{"capacity":{"model":"rate","perSecond":0,"burst":1}}                                  | capacity.perSecond
					{"capacity":{"model":"rate","perSecond":2e9,"burst":1}}                                | capacity.perSecond
					{"capacity":{"model":"rate","perSecond":1}}                                            | capacity.burst
					{"specials":[{"customerPrefix":""}]}                                                   | specials[0].customerPrefix
					{"specials":[{"customerPrefix":"a","delayMillis":-1}]}                                 | specials[0].delayMillis
					{"specials":[{"customerPrefix":"a","status":200}]}                                     | specials.0
					""")
	void refusesABehaviourThatCannotBe(String change, String field) {
		ObjectNode behaviour = this.json.valueToTree(AT_ONCE);
		behaviour.setAll((ObjectNode) this.json.readTree(change));

		putBehaviour(behaviour.toString()).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString()
				.matches("The behaviour stays as it is: \\Q%s\\E: (?!.*class ).*".formatted(field)));
	}

	@Test
	void refusesABehaviourAndNamesTheFields() {
		putBehaviour("{\"delay\":{\"kind\":\"fixed\",\"millis\":-1},\"errorStatus\":200}").expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString()
				.matches("The behaviour stays as it is: capacity: .*; delay[.]millis: .*; errorStatus: .*"));

		this.client.get().uri("/behaviour").exchange().expectBody(BackendBehaviour.class).isEqualTo(AT_ONCE);
	}

	@Test
	void refusesKindsThatItDoesNotKnow() {
		putBehaviour("{\"delay\":{\"kind\":\"odd\"},\"errorStatus\":503,\"capacity\":{\"model\":\"unlimited\"}}")
			.expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString().contains("delay: ", "'odd'", "log-normal"));
		putBehaviour("").expectStatus().isBadRequest();
	}

	@Test
	void resetsTheConnection() throws IOException {
		behave(faults(0, 1, 0));

		try (Socket socket = connect()) {
			sendOrder(socket);

			assertThatExceptionOfType(SocketException.class).isThrownBy(() -> socket.getInputStream().read())
				.withMessageContaining("reset");
		}
		assertThat(audit().failed()).isEqualTo(1);
	}

	@Test
	void lettingARequestHangEndsWhenItsClientGoesAndWithTheBehaviour() throws IOException {
		behave(faults(1, 0, 0));

		try (Socket stays = connect()) {
			try (Socket gone = connect()) {
				sendOrder(gone);
				sendOrder(stays);
				await().until(() -> audit().inFlight() == 2);
			}
			await().until(() -> audit().failed() == 1);
			assertThat(audit().inFlight()).isEqualTo(1);

			behave(AT_ONCE);

			assertThat(stays.getInputStream().read()).as("closed without an answer").isEqualTo(-1);
		}
		assertThat(audit().failed()).isEqualTo(2);
	}

	@Test
	void theOrderOfAClientThatHasGoneIsSaved() throws IOException {
		behave(AT_ONCE.withDelay(new Delay.Fixed(200)));

		try (Socket socket = connect()) {
			sendOrder(socket);
			await().until(() -> audit().received() == 1);
		}

		await().until(() -> audit().saved() == 1);
	}

	@Test
	void closesConnectionsBeyondTheCap() {
		// This client's own connection is already open and stays open.
		behave(faults(0, 0, 1));

		// On a slow machine, those of two tries may come in different seconds.
		await().until(() -> {
			try (Socket first = connect(); Socket second = connect()) {
				return isClosedByPeer(first) | isClosedByPeer(second);
			}
		});

		assertThat(audit().connectionsRefused()).isPositive();
		behave(AT_ONCE);
	}

	@Test
	void showsItsMetricsAndItsHealth() {
		this.client.get().uri("/actuator/health/readiness").exchange().expectStatus().isOk();
		EntityExchangeResult<String> scrape = this.client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.returnResult();

		assertThat(scrape.getResponseBody()).contains("sluice_backend_ended_total{outcome=\"saved\"} ")
			.contains("sluice_backend_in_flight ");
	}

	private static SavedOrder saved(WebTestClient.ResponseSpec response, HttpStatus status) {
		return response.expectStatus().isEqualTo(status).expectBody(SavedOrder.class).returnResult().getResponseBody();
	}

	private static void expectProblem(WebTestClient.ResponseSpec response, int status, String type) {
		response.expectStatus()
			.isEqualTo(status)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.type")
			.isEqualTo(type)
			.jsonPath("$.status")
			.isEqualTo(status);
	}

	private static BackendBehaviour faults(double hangRate, double resetRate, int maxNewConnectionsPerSecond) {
		return new BackendBehaviour(new Delay.Fixed(0), 0, 503, hangRate, resetRate, maxNewConnectionsPerSecond,
				new Capacity.Unlimited());
	}

	private Socket connect() throws IOException {
		Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port);
		socket.setSoTimeout((int) DEADLINE.toMillis());
		return socket;
	}

	private static void sendOrder(Socket socket) throws IOException {
		String request = "POST /orders HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \"" + UUID.randomUUID()
				+ "\"\r\nContent-Type: application/json\r\nContent-Length: " + ORDER.length() + "\r\n\r\n" + ORDER;
		socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
	}

	/** A connection within the cap answers; one over it ends or is reset. */
	private static boolean isClosedByPeer(Socket socket) {
		try {
			sendOrder(socket);
			return socket.getInputStream().read() == -1;
		}
		catch (IOException ex) {
			return true;
		}
	}

	private static String firstLine(Socket socket) throws IOException {
		InputStream in = socket.getInputStream();
		StringBuilder line = new StringBuilder();
		for (int next = in.read(); next != '\r' && next != -1; next = in.read()) {
			line.append((char) next);
		}
		return line.toString();
	}

}
