package dev.sluice.contract;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.contract.RawClient.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static dev.sluice.contract.RunningGateway.ORDER;
import static dev.sluice.contract.RunningGateway.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * How every gateway treats connections: which ill-formed requests it refuses, how it
 * limits slow and large requests, and that health and metrics stay reachable meanwhile.
 * Needs no servers except a fake backend.
 * <p>
 * The nested classes run in parallel, each with a gateway of its own: they mostly wait.
 */
@Execution(ExecutionMode.CONCURRENT)
public abstract class GatewayEdgeContract extends StartedGateway {

	/**
	 * Resource that all gateways of a JVM share: its log, its event loops, its CPU. The
	 * classes of this suite run in parallel, all others alone.
	 */
	public static final String JVM = "jvm";

	/** Each start sets up the log of the JVM, so two at once would disturb each other. */
	private static final Object STARTING = new Object();

	private static final int FIFTY_MEGABYTES = 50 * 1024 * 1024;

	private static final String DESCRIPTION = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

	private static final List<String> UNFINISHED_CHUNKS = List.of("6", "6a\r", "6a\r\n", "6a\r\n{", "1\r\n{",
			"1\r\n{\r\n", "1\r\n{\r\n2", "0\r\nX: ");

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	private FakeBackend backend;

	private URI gateway;

	/** Some of each kind: RequestFramingTests has all. */
	static Stream<String> illFormed() {
		return Stream.of(
				// Host
				"GET /orders/1 HTTP/1.1\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a b\r\n\r\n",
				// Transfer-Encoding and Content-Length
				chunked("Transfer-Encoding: gzip, chunked"), chunked("Transfer-Encoding: chunked\r\nContent-Length: 5"),
				sized("Content-Length: 4\r\nContent-Length: 5"), sized("Content-Length: -1"),
				sized("Content-Length: 9223372036854775808"),
				// Line ends and folding
				"GET /orders/1 HTTP/1.1\nHost: a\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\n\n", "GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
				// Names and values
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n",
				// The request line
				"GET  /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n", " GET /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/1\r\nHost: a\r\n\r\n", "GET /orders/1 HTTP/9.9\r\nHost: a\r\n\r\n",
				"GET //orders HTTP/1.1\r\nHost: a\r\n\r\n", "GET /orders/%2f HTTP/1.1\r\nHost: a\r\n\r\n",
				"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "GET /orders/\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n",
				"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n",
				"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
				// Size of the head
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(9_000) + "\r\n\r\n",
				"GET /orders/" + "1".repeat(9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
				// Chunks
				chunks("x\r\nabc\r\n0\r\n\r\n"), chunks("1\na\r\n0\r\n\r\n"), chunks("1\r\nab\r\n0\r\n\r\n"),
				chunks("ffffffffffffffff\r\na\r\n0\r\n\r\n"), chunks("1 \r\na\r\n0\r\n\r\n"),
				chunks("1;" + "a".repeat(300)), chunks("0\r\nX: " + "x".repeat(9_000) + "\r\n\r\n"),
				chunks("0\r\n" + "X: y\r\n".repeat(101) + "\r\n"));
	}

	private static String chunked(String framing) {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
			.formatted(framing);
	}

	private static String sized(String framing) {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\n\r\n{  }"
			.formatted(framing);
	}

	private static String chunks(String body) {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
				+ body;
	}

	private static void assertTimedOut(RawClient raw) throws IOException {
		Answer answer = raw.answer();
		answer.assertProblem(408, "request-timeout");
		assertThat(answer.headers()).contains("connection: close");
		assertThat(answer.member("instance")).isEqualTo("/orders");
		assertThat(raw.isClosed()).isTrue();
	}

	/** How many requests were refused before the application saw them. */
	private double refused(String reason) throws Exception {
		return RunningGateway.metric(metrics(), "sluice_requests_refused_total{reason=\"%s\"}".formatted(reason));
	}

	private String metrics() throws Exception {
		return get(management().resolve("/actuator/prometheus")).body();
	}

	private int health() throws Exception {
		return get(management().resolve("/actuator/health/liveness")).statusCode();
	}

	private HttpResponse<String> get(URI uri) throws Exception {
		return this.client.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), BodyHandlers.ofString());
	}

	/** A POST of an order of which only the first byte of the body is sent. */
	private static String unfinished(String framing) {
		String first = framing.startsWith("Transfer") ? "1\r\n{\r\n" : "{";
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\n\r\n%s".formatted(framing,
				first);
	}

	private void startWith(Map<String, String> properties) throws IOException {
		this.backend = new FakeBackend();
		backendSaves();
		Map<String, String> all = new HashMap<>(properties);
		all.put("backend.url", this.backend.uri().toString());
		all.put("sluice.drain-time", "0s");
		synchronized (STARTING) {
			this.gateway = start(all);
		}
	}

	private void backendSaves() {
		this.backend.reply(FakeBackend.Reply.saved());
	}

	private void close() throws IOException {
		if (this.gateway != null) {
			stop();
		}
		this.client.close();
		if (this.backend != null) {
			this.backend.close();
		}
	}

	/** Properties without hurry, and others. */
	private static Map<String, String> noHurry(Map<String, String> others) {
		Map<String, String> properties = NoHurry.properties();
		properties.putAll(others);
		return properties;
	}

	private RawClient connect() throws IOException {
		return RawClient.connect(this.gateway, PATIENCE);
	}

	/** Whether an order is saved now. A client repeats one that is not. */
	private boolean places() throws IOException {
		return place().status() == 201;
	}

	private Answer place() throws IOException {
		try (RawClient raw = connect()) {
			return raw.send(order()).answer();
		}
	}

	/**
	 * Sends an order until it is answered with this status, each time on a new
	 * connection. A client that is still sending when the gateway closes may see a reset;
	 * and the timeout of bodies may act on a machine that stands still.
	 */
	private HttpResponse<String> placeOverTls(String x, String body, int expected) {
		HttpRequest order = RunningGateway.order(secure(this.gateway), BodyPublishers.ofString(body), "X", x).build();
		return await().ignoreException(IOException.class).until(() -> {
			try (HttpClient tls = tls()) {
				return tls.send(order, BodyHandlers.ofString());
			}
		}, (response) -> response.statusCode() == expected);
	}

	private static HttpClient tls() throws Exception {
		return HttpClient.newBuilder().sslContext(Certificate.shared().trusting()).connectTimeout(PATIENCE).build();
	}

	private static URI secure(URI uri) {
		return URI.create("https" + uri.toString().substring("http".length()));
	}

	private static String order() {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s"
			.formatted(ORDER.length(), ORDER);
	}

	@Nested
	class Requests extends Configured {

		@Override
		Map<String, String> properties() {
			// There, Spring Boot reads X-Forwarded-* by default.
			return noHurry(Map.of("spring.main.cloud-platform", "kubernetes"));
		}

		/** All on one gateway: it survives them and answers a good request afterwards. */
		@Test
		void refusesAndCountsWhatIsIllFormed() throws Exception {
			List<String> wrong = new ArrayList<>();
			double counted = refused("malformed");

			for (String request : illFormed().toList()) {
				String fault = fault(request);
				double countedBefore = counted;
				counted = refused("malformed");
				if (fault.isEmpty() && counted != countedBefore + 1) {
					fault = "counted " + (counted - countedBefore) + " times";
				}
				if (!fault.isEmpty()) {
					wrong.add(fault + ": " + request.substring(0, Math.min(120, request.length())));
				}
			}

			assertThat(wrong).isEmpty();
			assertThat(place().status()).isEqualTo(201);
		}

		/** The error in the answer, empty if there is none. */
		private String fault(String request) throws IOException {
			try (RawClient raw = connect()) {
				Answer answer = raw.sendWhatIsRead(request.getBytes(StandardCharsets.ISO_8859_1)).answer();
				answer.assertProblem(400, "invalid-request");
				assertThat(answer.headers()).contains("connection: close");
				return raw.isClosed() ? "" : "not closed";
			}
			catch (IOException | RuntimeException | AssertionError ex) {
				return ex.toString();
			}
		}

		@Test
		void servesWhatIsUnusualAndWellFormed() throws Exception {
			String body = Integer.toHexString(ORDER.length()) + "\r\n" + ORDER + "\r\n0\r\n\r\n";
			String rest = "Content-Type: application/json\r\nContent-Length: %s\r\n\r\n%s".formatted(ORDER.length(),
					ORDER);

			for (String request : List.of(chunks(body), chunks(body.replace("0\r\n\r\n", "000\r\n\r\n")),
					chunks(body.replace("0\r\n\r\n", "0\r\nX: " + "x".repeat(8_000) + "\r\n\r\n")),
					chunks(body.replace("0\r\n\r\n", "0\r\n" + "X: y\r\n".repeat(100) + "\r\n")),
					chunks("1;a=b\r\n{\r\n" + Integer.toHexString(ORDER.length() - 1).toUpperCase() + "\r\n"
							+ ORDER.substring(1) + "\r\n0\r\n\r\n"),
					"POST /orders HTTP/1.1\r\nHOST:a.b:8080\r\n" + rest,
					"POST /orders HTTP/1.1\r\nHost: [::1]:80\r\n" + rest,
					"POST /orders HTTP/1.1\r\nHost: my_gateway:8080\r\n" + rest,
					"POST /orders HTTP/1.1\r\nHost: a~b\r\n" + rest, "POST /orders HTTP/1.1\r\nHost: a:\r\n" + rest,
					"POST http://a:/orders HTTP/1.1\r\nHost: a:\r\n" + rest,
					"\r\nPOST /orders HTTP/1.1\r\nHost: \t a \t\r\nX:\r\nY: \u00ff\r\n" + rest,
					"POST /orders HTTP/1.1\r\nHost: a\r\nCookie: a=b" + "; a=b".repeat(1_000) + "\r\n" + rest,
					"POST /orders?" + "a&".repeat(2_000) + " HTTP/1.1\r\nHost: a\r\n" + rest,
					"POST /orders HTTP/1.0\r\n" + rest)) {
				try (RawClient raw = connect()) {
					assertThat(raw.send(request).answer().status()).as(request).isEqualTo(201);
				}
			}
		}

		@ParameterizedTest
		@ValueSource(strings = { "Forwarded: for=\"", "X-Forwarded-For: [::1", "X-Forwarded-Host: a b:c",
				"X-Forwarded-Port: none", "X-Forwarded-Prefix: //b", "X-Forwarded-Proto: x y" })
		void readsNothingThatAProxyForwards(String field) throws Exception {
			try (RawClient raw = connect()) {
				Answer answer = raw.send(order().replaceFirst("\r\n", "\r\n" + field + "\r\n")).answer();

				assertThat(answer.status()).isEqualTo(201);
				assertThat(answer.headers()).anyMatch((header) -> header.startsWith("location: /orders/"));
			}
		}

		/**
		 * With any relation between the sizes of the body and of the containers' buffers.
		 */
		@Test
		void passesBodiesOfAnySizeOnAsTheyAre() throws Exception {
			String item = ORDER.substring(ORDER.indexOf("[") + 1, ORDER.indexOf("]"));

			for (int items = 1; items <= 100; items += 3) {
				String body = ORDER.replace(item, (item + ",").repeat(items - 1) + item);
				for (int cut : List.of(body.length(), body.length() / 2, 1)) {
					try (RawClient raw = connect()) {
						String head = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n"
							.formatted(body.length());
						raw.send(head + body.substring(0, cut));
						Answer answer = raw.send(body.substring(cut)).answer();
						assertThat(answer.status()).as("%s bytes, cut at %s: %s", body.length(), cut, answer.body())
							.isEqualTo(201);
						assertThat(GatewayEdgeContract.this.backend.requests().getLast()).endsWith(body);
					}
				}
			}
		}

		@Test
		void answersPipelinedRequestsInOrder() throws Exception {
			StringBuilder requests = new StringBuilder();
			// This request waits for the backend: the others arrive while it is in
			// progress.
			requests.append(order());
			for (String path : List.of("/openapi.json", "/2", "/openapi.json")) {
				requests.append("GET ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
			}
			String last = "GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
			String ignored = "GET /6 HTTP/1.1\r\nHost: a\r\n\r\n";

			try (RawClient raw = connect()) {
				raw.send(requests.toString());
				assertAnswersUpToTheFourth(raw);

				// The gateway goes on reading from a connection that was ahead of it.
				raw.send(requests + last + ignored);
				assertAnswersUpToTheFourth(raw);
				Answer answer = raw.answer();
				assertThat(answer.body()).contains("\"instance\":\"/5\"");
				assertThat(answer.headers()).contains("connection: close");
				assertThat(raw.isClosed()).isTrue();
			}
		}

		private static void assertAnswersUpToTheFourth(RawClient raw) throws IOException {
			assertThat(raw.answer().status()).isEqualTo(201);
			assertThat(raw.answer().body()).contains("\"openapi\"");
			assertThat(raw.answer().body()).contains("\"instance\":\"/2\"");
			assertThat(raw.answer().body()).contains("\"openapi\"");
		}

		@Test
		void answersWhatIsPipelinedBehindEachKindOfRequest() throws Exception {
			String nothing = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n";
			String chunked = chunkedOrder(0);

			assertAnswers((order() + nothing).repeat(500), "201 404 ".repeat(500));
			// More bytes than a server reads at once, so that a body ends within a read.
			for (int spaces : List.of(0, 1_000, 3_900, 5_000, 15_000, 40_000)) {
				assertAnswers(chunkedOrder(spaces) + chunked.repeat(60) + nothing, "201 ".repeat(61) + "404");
			}
			assertAnswers(chunked.replaceFirst("\r\n", "\r\nContent-Encoding: gzip\r\n") + chunked, "415 201");
			assertAnswers(nothing + "GET /2 HTTP/1.1\r\n\r\n" + nothing, "404 400 closed");
		}

		private void assertAnswers(String requests, String expected) throws IOException {
			try (RawClient raw = connect()) {
				raw.send(requests);
				List<String> answers = new ArrayList<>();
				for (String answer : expected.split(" ")) {
					boolean closed = answer.equals("closed") && raw.isClosed();
					answers.add(closed ? answer : Integer.toString(raw.answer().status()));
				}
				assertThat(answers).isEqualTo(List.of(expected.split(" ")));
			}
		}

		private static String chunkedOrder(int spaces) {
			return chunks("%x\r\n%s\r\n0\r\n\r\n".formatted(ORDER.length() + spaces, ORDER + " ".repeat(spaces)));
		}

		@Test
		void answersFromTheHeadAloneWhatIsTooLarge() throws Exception {
			double counted = refused("too-large");

			for (String request : List.of("POST /orders", "GET /nothing", "PUT /orders", "DELETE /orders/1")) {
				try (RawClient raw = connect()) {
					Answer answer = raw
						.send("%s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n"
							.formatted(request, FIFTY_MEGABYTES))
						.answer();

					answer.assertProblem(413, "too-large");
					assertThat(answer.headers()).as(request).contains("connection: close");
					assertThat(raw.isClosed()).isTrue();
				}
			}
			assertThat(refused("too-large") - counted).isEqualTo(4);
			assertThat(place().status()).isEqualTo(201);
		}

		@Test
		void answersWhatNoControllerTakes() throws Exception {
			try (RawClient raw = connect()) {
				assertAnswered(raw, "GET /nothing", "application/json", 404);
				assertAnswered(raw, "POST /nothing", "application/x-www-form-urlencoded", 404);
				assertAnswered(raw, "DELETE /nothing", "*/*", 404);
				assertAnswered(raw, "GET /nothing", "application/json;charset=none", 404);
				assertAnswered(raw, "PUT /orders", "application/x-www-form-urlencoded", 405);
				assertAnswered(raw, "PATCH /orders", "multipart/form-data", 405);
				assertAnswered(raw, "DELETE /orders/1", "multipart/form-data; boundary=b", 405);
				assertAnswered(raw, "POST /orders", "multipart/form-data", 415);
				assertAnswered(raw, "POST /orders", "multipart/form-data; boundary=b", 415);
				assertAnswered(raw, "POST /orders", "application/x-www-form-urlencoded", 415);
			}
		}

		private static void assertAnswered(RawClient raw, String request, String type, int status) throws IOException {
			Answer answer = raw
				.send("%s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: 3\r\n\r\na=b".formatted(request,
						type))
				.answer();

			assertThat(answer.status()).as(request + " " + type).isEqualTo(status);
			assertThat(answer.headers()).as(request + " " + type)
				.contains("content-type: application/problem+json")
				.doesNotContain("connection: close");
			if (status == 405) {
				assertThat(answer.headers()).anyMatch((header) -> header.startsWith("allow: "));
			}
		}

		/** Whichever part of the body has arrived, and whatever follows it. */
		@Test
		void keepsTheConnectionAfterABodyThatNobodyReads() throws Exception {
			for (String request : List.of("GET /openapi.json", "POST /nothing", "PUT /orders", "POST /orders",
					"DELETE /orders/1")) {
				for (int padding : List.of(1, 4_000, 7_900)) {
					String head = "%s HTTP/1.1\r\nHost: a\r\nX: %s\r\n".formatted(request, "x".repeat(padding));
					assertTwoAnswers(head + "Content-Length: 0\r\n\r\n");
					assertTwoAnswers(head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
					for (int bytes : List.of(1, 500, 3_000, 5_000, 20_000)) {
						String body = "x".repeat(bytes);
						assertTwoAnswers(head + "Content-Length: %s\r\n\r\n%s".formatted(bytes, body));
						assertTwoAnswers(head
								+ "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n".formatted(bytes, body));
					}
				}
			}
		}

		private void assertTwoAnswers(String request) throws IOException {
			String described = "%s, %s bytes".formatted(request.lines().findFirst(), request.length());
			try (RawClient raw = connect()) {
				Answer answer = raw.send(request + DESCRIPTION).answer();

				assertThat(answer.headers()).as(described).doesNotContain("connection: close");
				assertThat(raw.answer().body()).as(described).contains("\"openapi\"");
			}
		}

		/**
		 * A gateway that stops waits for bodies that arrive, so it must forget the
		 * others.
		 */
		@Test
		void holdsNothingOfClientsThatLeaveWithinABody() throws Exception {
			for (String framing : List.of("Content-Length: " + ORDER.length(), "Transfer-Encoding: chunked")) {
				try (RawClient closes = connect(); RawClient resets = connect()) {
					closes.send(unfinished(framing));
					resets.send(unfinished(framing));
					await().until(() -> metrics().contains("sluice_requests_receiving 2.0"));
					resets.reset();
				}
				await().until(() -> metrics().contains("sluice_requests_receiving 0.0"));
				await().until(() -> metrics().contains("sluice_requests_in_progress 0.0"));
			}
		}

		@Test
		void servesHealthAndMetricsOnAPortOfTheirOwn() throws Exception {
			assertThat(health()).isEqualTo(200);
			assertThat(metrics()).contains("sluice_requests_in_progress");
			HttpResponse<String> api = get(GatewayEdgeContract.this.gateway.resolve("/actuator/health"));
			assertThat(api.statusCode()).isEqualTo(404);
			assertThat(JsonPath.<String>read(api.body(), "$.type")).isEqualTo("urn:sluice:problem:not-found");
		}

	}

	@Nested
	class ShortBodyTimeout extends Configured {

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("sluice.body-timeout", "500ms"));
		}

		@ParameterizedTest
		@ValueSource(strings = { "Content-Length: 1000", "Transfer-Encoding: chunked" })
		void givesUpABodyThatDoesNotEnd(String framing) throws Exception {
			try (RawClient raw = connect()) {
				assertTimedOut(raw.send(unfinished(framing)));
			}
			await().until(GatewayEdgeContract.this::places);
		}

		@Test
		void givesUpChunksThatDoNotEnd() throws Exception {
			for (String chunks : UNFINISHED_CHUNKS) {
				try (RawClient raw = connect()) {
					assertTimedOut(raw.send(chunks(chunks)));
				}
			}
		}

	}

	/** Short time limits, so that every connection ends by itself. */
	@Nested
	class Corpus extends Configured {

		private static final int REQUESTS = 600;

		private static final int FRESH_REQUESTS = Boolean.getBoolean("sluice.full") ? 3_000 : REQUESTS;

		private static final String RECORD = "dev/sluice/contract/placed-orders.txt";

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("sluice.head-timeout", "2s", "sluice.body-timeout", "5s",
					"server.tomcat.connection-timeout", "2s", "server.tomcat.keep-alive-timeout", "2s",
					"server.netty.idle-timeout", "2s", "status.key-lookup-timeout", "0s"));
		}

		/** The record is written with {@code -Dsluice.docs=write}. */
		@Test
		void placesTheOrdersThatAreRecorded() throws Exception {
			List<String> placed = placed(1, REQUESTS);

			if ("write".equals(System.getProperty("sluice.docs"))) {
				Files.write(Path.of("../order-contract/src/test/resources", RECORD), placed);
				return;
			}
			try (InputStream record = GatewayEdgeContract.class.getClassLoader().getResourceAsStream(RECORD)) {
				assertThat(placed)
					.isEqualTo(new String(record.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
			}
		}

		/**
		 * With a seed that each build has anew. The gateway that is tested second
		 * compares its orders with those of the first.
		 */
		@Test
		void placesTheSameOrdersAsTheOtherGateway() throws Exception {
			String build = System.getProperty("sluice.build", Instant.now().toString());
			List<String> placed = placed(build.hashCode(), FRESH_REQUESTS);

			assertThat(placed).isNotEmpty();
			String file = "placed-orders-" + build.hashCode() + ".txt";
			for (String gateway : List.of("gateway-servlet", "gateway-reactive")) {
				Path other = Path.of("..", gateway, "target", file);
				if (Files.exists(other)) {
					assertThat(placed).as("-Dsluice.build=%s, compared with %s", build, gateway)
						.isEqualTo(Files.readAllLines(other));
				}
			}
			Files.write(Path.of("target", file), placed);
		}

		/** The orders of a seed that the backend got: number and checksum of each. */
		private List<String> placed(long seed, int count) throws Exception {
			int before = GatewayEdgeContract.this.backend.requests().size();
			try (ExecutorService threads = Executors.newFixedThreadPool(100)) {
				List<Future<?>> all = new ArrayList<>();
				for (int i = 0; i < count; i++) {
					byte[] request = FramingCorpus.request(seed, i);
					all.add(threads.submit(() -> send(request)));
				}
				for (Future<?> one : all) {
					one.get();
				}
			}
			List<String> requests = GatewayEdgeContract.this.backend.requests();
			return requests.subList(before, requests.size())
				.stream()
				.map((request) -> request.substring(request.indexOf("\r\n\r\n") + 4))
				.map((order) -> JsonPath.<String>read(order, "$.customerId") + ' '
						+ Integer.toHexString(order.hashCode()))
				.sorted()
				.distinct()
				.toList();
		}

		/**
		 * Sends until the gateway closes the connection. A machine that stands still may
		 * cut a request off, or an answer: they are repeated.
		 */
		private void send(byte[] request) {
			String answers = "";
			for (int i = 0; i < 3 && (answers.isEmpty() || answers.contains("HTTP/1.1 408")
					|| answers.contains("HTTP/1.1 503")); i++) {
				try (RawClient raw = connect()) {
					answers = raw.sendWhatIsRead(request).rest();
				}
				catch (SocketTimeoutException ex) {
					throw new IllegalStateException("Not ended: " + new String(request, StandardCharsets.ISO_8859_1),
							ex);
				}
				catch (IOException ex) {
					// A reset: the answers may be lost.
				}
			}
		}

	}

	/** Few threads. */
	@Nested
	class ShortLimits extends Configured {

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("server.tomcat.threads.max", "2", "server.tomcat.threads.min-spare", "1",
					"sluice.head-timeout", "500ms", "sluice.write-timeout", "500ms", "backend.response-timeout",
					"500ms", "status.key-lookup-timeout", "0s"));
		}

		@Test
		void closesTheConnectionOfAHeadThatDoesNotEnd() throws Exception {
			double late = refused("late");
			try (RawClient raw = connect(); RawClient kept = connect()) {
				raw.send("GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: ");
				assertGivenUp(raw);

				assertThat(kept.send(DESCRIPTION).answer().status()).isEqualTo(200);
				kept.send("G");
				assertGivenUp(kept);
			}
			assertThat(refused("late") - late).isEqualTo(2);
		}

		/** A head may have no answer; if it has one, it is 408. */
		private static void assertGivenUp(RawClient raw) throws IOException {
			try {
				assertThat(raw.answer().status()).isEqualTo(408);
			}
			catch (IOException ex) {
				assertThat(ex).isNotInstanceOf(SocketTimeoutException.class);
			}
			assertThat(raw.isClosed()).isTrue();
		}

		@Test
		@HoldsThread
		void givesUpClientsThatDoNotRead() throws Exception {
			try (Clients unread = new Clients(3, DESCRIPTION.repeat(1_000))) {
				await().until(GatewayEdgeContract.this::places);
				for (RawClient raw : unread.all) {
					await().until(raw::isReset);
				}
			}
		}

		@Test
		@HoldsThread
		void givesUpABackendThatDoesNotAnswer() throws Exception {
			String order = order().replace("Host: a\r\n", "Host: a\r\nIdempotency-Key: \"late\"\r\n");
			GatewayEdgeContract.this.backend.reply(FakeBackend.Reply.never());
			try (RawClient raw = connect()) {
				Answer answer = raw.send(order).answer();

				answer.assertProblem(504, "backend-timeout");
				assertThat(answer.member("placed")).isEqualTo("unknown");
			}
			finally {
				backendSaves();
			}

			// Its key is free again.
			await().until(() -> {
				try (RawClient raw = connect()) {
					return raw.send(order).answer().status() == 201;
				}
			});
		}

	}

	/** Few threads and places. */
	@Nested
	@HoldsThread
	class SlowClients extends Configured {

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("server.tomcat.threads.max", "2", "server.tomcat.threads.min-spare", "1",
					"sluice.reserved-threads-percent", "0", "sluice.max-in-progress", "10"));
		}

		@Test
		void holdsNoThreadForChunksThatDoNotEnd() throws Exception {
			for (String chunks : UNFINISHED_CHUNKS) {
				try (Clients _ = new Clients(3, chunks(chunks))) {
					assertThat(place().status()).isEqualTo(201);
				}
			}
		}

		@Test
		void letsGoodClientsInWhileBodiesAreRead() throws Exception {
			try (Clients slow = new Clients(10, unfinished("Content-Length: " + ORDER.length()))) {
				assertThat(place().status()).isEqualTo(201);

				for (RawClient raw : slow.all) {
					// A request may give up its place a moment after its client has the
					// answer.
					await().until(() -> metrics().contains("sluice_requests_in_progress 0.0"));
					assertThat(raw.send(ORDER.substring(1)).answer().status()).isEqualTo(201);
				}
			}
		}

		/** The clients always have requests pending, and read an answer now and then. */
		@Test
		void holdsNoThreadForClientsThatReadSlowly() throws Exception {
			List<SlowReader> readers = new ArrayList<>();
			try {
				while (readers.size() < 3) {
					readers.add(new SlowReader(connect(), 2_000));
				}

				await().until(() -> readers.stream().allMatch((reader) -> reader.answers() >= 20));
				assertThat(place().status()).isEqualTo(201);
				assertThat(readers).allMatch(SlowReader::isReading);
			}
			finally {
				for (SlowReader reader : readers) {
					reader.close();
				}
			}
		}

		/** The clients are answered until there is no room for more. */
		@Test
		void holdsNoThreadForClientsThatStopReading() throws Exception {
			try (Clients stopped = new Clients(3, DESCRIPTION.repeat(2_000))) {
				for (RawClient raw : stopped.all) {
					assertThat(raw.answer().status()).isEqualTo(200);
				}

				assertThat(place().status()).isEqualTo(201);
			}
		}

	}

	@Nested
	class SmallLimits extends Configured {

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("sluice.max-connections", "3", "sluice.max-body-memory", "64KB"));
		}

		@Test
		void boundsTheMemoryOfUnfinishedBodies() throws Exception {
			String most = unfinished("Content-Length: 60000") + " ".repeat(50_000);

			await().untilAsserted(() -> {
				// A second body that is read before the first one takes the memory: then
				// the first one is refused, and another pair must be sent.
				try (RawClient _ = connect().send(most); RawClient second = connect()) {
					Answer answer = second.send(most + " ".repeat(9_999)).answer();
					answer.assertProblem(503, "overloaded");
					assertThat(answer.headers()).contains("retry-after: 1");
					assertThat(place().status()).isEqualTo(201);
				}
			});
			await().untilAsserted(() -> {
				try (RawClient third = connect()) {
					assertThat(third.send(most + " ".repeat(9_999)).answer().status()).isEqualTo(400);
				}
			});
		}

		@Test
		void boundsOpenConnections() throws Exception {
			try (Clients open = new Clients(3, DESCRIPTION)) {
				for (RawClient raw : open.all) {
					assertThat(raw.answer().status()).isEqualTo(200);
				}
				try (RawClient waiting = RawClient.connect(GatewayEdgeContract.this.gateway, Duration.ofSeconds(1))) {
					waiting.send(DESCRIPTION);
					assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(waiting::answer);
					assertThat(health()).isEqualTo(200);
				}
				open.all.getFirst().close();
				try (RawClient raw = connect()) {
					assertThat(raw.send(DESCRIPTION).answer().status()).isEqualTo(200);
				}
			}
		}

	}

	@Nested
	class Tls extends OverTls {

		@Override
		Map<String, String> more() {
			return Map.of("sluice.body-timeout", "5s", "management.server.ssl.enabled", "false");
		}

		/**
		 * As docs/operations.md says, for a Prometheus that does not know the
		 * certificate.
		 */
		@Test
		void servesHealthWithoutTlsIfAskedTo() throws Exception {
			assertThat(health()).isEqualTo(200);
		}

		@Test
		void servesHttp1OverTlsWithinTheSameLimits() {
			assertThat(placeOverTls("", ORDER, 201).version()).isEqualTo(HttpClient.Version.HTTP_1_1);
			placeOverTls("", "x".repeat(70_000), 413);
			placeOverTls("x".repeat(20_000), ORDER, 400);
		}

	}

	@Nested
	@TestInstance(Lifecycle.PER_CLASS)
	@ResourceLock(value = JVM, mode = ResourceAccessMode.READ)
	class Http2 {

		@AfterAll
		void end() {
			GatewayEdgeContract.this.client.close();
		}

		@Test
		void isLeftToTheIngress() {
			assertThatThrownBy(() -> {
				synchronized (STARTING) {
					start(Map.of("server.http2.enabled", "true"));
				}
			}).hasRootCauseInstanceOf(InvalidConfigurationPropertyValueException.class)
				.rootCause()
				.hasMessageContaining("server.http2.enabled")
				.hasMessageContaining("left to the ingress");
		}

	}

	/** With the default log levels. Runs alone, because it reads the log. */
	@Nested
	@ResourceLock(JVM)
	@ExtendWith(OutputCaptureExtension.class)
	class BrokenTls extends OverTls {

		private static final int CONNECTIONS = 100;

		/**
		 * There is no PostgreSQL, which is irrelevant here. The log level cannot suppress
		 * these stack traces: it is the JVM's, and other gateways start in it.
		 */
		private static final Pattern NO_POSTGRESQL = Pattern.compile(
				"(?m)^org\\.postgresql\\.util\\.PSQLException: .*\\R(?:(?:\\tat |\\t\\.\\.\\. |Caused by: ).*\\R)*");

		@Override
		Map<String, String> more() {
			return Map.of("sluice.head-timeout", "500ms", "sluice.body-timeout", "1s", "sluice.max-connections",
					Integer.toString(CONNECTIONS));
		}

		@Test
		void leavesNoStackTraceOfTheHandshake(CapturedOutput output) throws Exception {
			byte[] hello = clientHello();
			someAtATime(List.of(new byte[0], new byte[] { 0x16 }, new byte[2_000],
					"GET /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
					"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII), hello,
					Arrays.copyOf(hello, hello.length / 2), twice(hello), garbled(hello)), (bytes) -> {
						try (RawClient closed = connect(); RawClient reset = connect(); RawClient read = connect()) {
							closed.send(bytes);
							reset.send(bytes).reset();
							read.send(bytes).readFor(Duration.ofMillis(300));
						}
					});
			handshake(SSLContext.getDefault(), (_) -> {
			});
			for (String protocol : List.of("http/1.0", "h2", "h2c", "h3", "nonsense")) {
				handshake(this.certificate.trusting(),
						(parameters) -> parameters.setApplicationProtocols(new String[] { protocol }));
			}
			handshake(this.certificate.trusting(), (parameters) -> {
				parameters.setProtocols(new String[] { "TLSv1.2" });
				parameters.setCipherSuites(new String[] { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" });
			});

			assertServesWithoutStackTrace(output);
		}

		/** Shakes hands, then sends bytes and resets the connection. */
		private void handshake(SSLContext context, Consumer<SSLParameters> settings) throws IOException {
			URI uri = GatewayEdgeContract.this.gateway;
			try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(uri.getHost(), uri.getPort())) {
				SSLParameters parameters = socket.getSSLParameters();
				settings.accept(parameters);
				socket.setSSLParameters(parameters);
				socket.startHandshake();
				socket.getOutputStream().write(new byte[100]);
				socket.setSoLinger(true, 0);
			}
			catch (SSLException | SocketException ex) {
				// One of the two sides has refused.
			}
		}

		private byte[] clientHello() throws Exception {
			SSLEngine engine = this.certificate.trusting().createSSLEngine();
			engine.setUseClientMode(true);
			ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
			engine.wrap(ByteBuffer.allocate(0), hello);
			return Arrays.copyOf(hello.array(), hello.position());
		}

		private static byte[] twice(byte[] bytes) {
			byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
			System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
			return twice;
		}

		/** Leaves the record's length correct. */
		private static byte[] garbled(byte[] bytes) {
			byte[] garbled = bytes.clone();
			Arrays.fill(garbled, 9, garbled.length, (byte) 0xff);
			return garbled;
		}

		/** Nor a line for each: otherwise a client could fill the disk. */
		@Test
		void leavesNoStackTraceOfIllFormedRequests(CapturedOutput output) throws Exception {
			long before = output.getAll().lines().count();

			someAtATime(illFormed().toList(), this::sendOverTls);

			assertThat(output.getAll().lines().count() - before).isLessThan(50);
			assertServesWithoutStackTrace(output);
		}

		private void sendOverTls(String request) throws Exception {
			URI uri = GatewayEdgeContract.this.gateway;
			try (Socket socket = this.certificate.trusting()
				.getSocketFactory()
				.createSocket(uri.getHost(), uri.getPort())) {
				socket.setSoTimeout((int) PATIENCE.toMillis());
				socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
				socket.setSoTimeout(300);
				socket.getInputStream().readAllBytes();
			}
			catch (SSLException | SocketException | SocketTimeoutException ex) {
				// The gateway may end it in any way.
			}
		}

		@Test
		void servesMetricsOverTls() throws Exception {
			try (HttpClient tls = tls()) {
				HttpRequest scrape = HttpRequest.newBuilder(secure(management()).resolve("/actuator/prometheus"))
					.timeout(PATIENCE)
					.build();

				assertThat(tls.send(scrape, BodyHandlers.ofString()).body()).contains("sluice_requests_in_progress");
			}
		}

		/** Attempts all of them, eight in parallel, because they mostly wait. */
		private static <T> void someAtATime(List<T> all, Attempt<T> attempt) throws Exception {
			try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
				List<Future<Void>> attempts = new ArrayList<>();
				for (T one : all) {
					attempts.add(threads.submit(() -> {
						attempt.with(one);
						return null;
					}));
				}
				for (Future<Void> done : attempts) {
					done.get();
				}
			}
		}

		private void assertServesWithoutStackTrace(CapturedOutput output) {
			placeOverTls("", ORDER, 201);
			assertThat(NO_POSTGRESQL.matcher(output.getAll()).replaceAll("")).doesNotContain("\tat ");
		}

	}

	/** Connections over which the same was sent. */
	private final class Clients implements AutoCloseable {

		private final List<RawClient> all = new ArrayList<>();

		Clients(int count, String sent) throws IOException {
			while (this.all.size() < count) {
				this.all.add(connect().send(sent));
			}
		}

		@Override
		public void close() throws IOException {
			for (RawClient raw : this.all) {
				raw.close();
			}
		}

	}

	/** An action on one of several items. */
	@FunctionalInterface
	private interface Attempt<T> {

		void with(T one) throws Exception;

	}

	/**
	 * A gateway with properties of its own, which all tests of a nested class share.
	 */
	@TestInstance(Lifecycle.PER_CLASS)
	@ResourceLock(value = JVM, mode = ResourceAccessMode.READ)
	abstract class Configured {

		/** The gateway's properties, in addition to its defaults. */
		abstract Map<String, String> properties() throws Exception;

		@BeforeAll
		void begin() throws Exception {
			startWith(properties());
		}

		@AfterAll
		void end() throws IOException {
			close();
		}

	}

	/** A gateway with TLS. */
	abstract class OverTls extends Configured {

		Certificate certificate;

		/** The gateway's properties, in addition to those for TLS. */
		abstract Map<String, String> more();

		@Override
		Map<String, String> properties() throws Exception {
			this.certificate = Certificate.shared();
			Map<String, String> properties = new HashMap<>(this.certificate.properties());
			properties.putAll(more());
			return properties;
		}

	}

	/** Requests many documents at once, and reads one every 50 ms. */
	private static final class SlowReader implements AutoCloseable {

		private final RawClient raw;

		private final Thread thread;

		private volatile int answers;

		SlowReader(RawClient raw, int requests) throws IOException {
			this.raw = raw.send(DESCRIPTION.repeat(requests));
			this.thread = Thread.startVirtualThread(this::read);
		}

		private void read() {
			try {
				while (this.raw.answer().status() == 200) {
					this.answers++;
					Thread.sleep(50);
				}
			}
			catch (IOException | InterruptedException ex) {
				// The test or the gateway has closed it.
			}
		}

		int answers() {
			return this.answers;
		}

		/** Whether it is still reading: it has not got all answers and has not failed. */
		boolean isReading() {
			return this.thread.isAlive();
		}

		@Override
		public void close() throws IOException {
			this.raw.close();
		}

	}

}
