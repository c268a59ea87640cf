package dev.sluice.contract;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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
import dev.sluice.devservices.Patience;
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

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How every gateway treats connections: which ill-formed requests it refuses, how it
 * limits slow and large requests, and that health and metrics stay reachable meanwhile.
 * Needs no servers except a fake backend.
 * <p>
 * The nested classes run in parallel, each with a gateway of its own: they mostly wait.
 */
@Execution(ExecutionMode.CONCURRENT)
public abstract class GatewayEdgeContract {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	/**
	 * Resource that all gateways of a JVM share: its log, its event loops, its CPU. The
	 * classes of this suite run in parallel, all others alone.
	 */
	public static final String JVM = "jvm";

	/** Each start sets up the log of the JVM, so two at once would disturb each other. */
	private static final Object STARTING = new Object();

	private static final int FIFTY_MEGABYTES = 50 * 1024 * 1024;

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	/** Reads metrics over TLS. */
	private HttpClient scraper;

	private FakeBackend backend;

	private URI gateway;

	/**
	 * Starts a gateway without Kafka and PostgreSQL on free ports.
	 * @param properties properties in addition to its defaults
	 * @return the address of its API
	 */
	protected abstract URI start(Map<String, String> properties);

	/** The address of its health and metrics. */
	protected abstract URI management();

	/** Stops it; returns when it has stopped. */
	protected abstract void stop();

	static Stream<String> illFormed() {
		return Stream.of(
				// Host
				"GET /orders/1 HTTP/1.1\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a, b\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: :::\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a:b\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a/b\r\n\r\n",
				// Transfer-Encoding and Content-Length
				chunked("Transfer-Encoding: gzip, chunked"), chunked("Transfer-Encoding: chunked, chunked"),
				chunked("Transfer-Encoding: identity"), chunked("Transfer-Encoding:"),
				chunked("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
				chunked("Transfer-Encoding: xchunked"), chunked("Transfer-Encoding: chunked;q=1"),
				chunked("Transfer-Encoding: chunked\r\nContent-Length: 5"),
				chunked("Content-Length: 5\r\nTransfer-Encoding: chunked"),
				sized("Content-Length: 4\r\nContent-Length: 5"), sized("Content-Length: 4, 5"),
				sized("Content-Length: -1"), sized("Content-Length: +4"), sized("Content-Length:"),
				sized("Content-Length: four"), sized("Content-Length: 0x4"), sized("Content-Length: 4 4"),
				sized("Content-Length: 9223372036854775808"), sized("Content-Length: 99999999999999999999"),
				// Line ends and folding
				"GET /orders/1 HTTP/1.1\nHost: a\r\n\r\n", "GET /orders/1 HTTP/1.1\r\nHost: a\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\n\n", "GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n",
				// Names and values
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX y: z\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\n: z\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX\u0000: y\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\u0001b\r\n\r\n",
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: a\u007fb\r\n\r\n",
				// The request line
				"GET  /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /orders/1  HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/1 HTTP/1.1 \r\nHost: a\r\n\r\n", " GET /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET\t/orders/1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /orders/1\r\nHost: a\r\n\r\n",
				"GET /orders/1 HTTP/9.9\r\nHost: a\r\n\r\n", "GET /orders/1 http/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/1 HTTP/1.10\r\nHost: a\r\n\r\n", "G@T /orders/1 HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET // HTTP/1.1\r\nHost: a\r\n\r\n", "GET //orders HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/[1] HTTP/1.1\r\nHost: a\r\n\r\n", "GET orders/1 HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/\u0001 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /orders/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders?status=failed&after=%ff%fe HTTP/1.1\r\nHost: a\r\n\r\n",
				"GET /orders/\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
				"TRACE /orders HTTP/1.1\r\nHost: a\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n",
				"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
				// Size of the head
				"GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(9_000) + "\r\n\r\n",
				"GET /orders/" + "1".repeat(9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
				// Chunks
				chunks("x\r\nabc\r\n0\r\n\r\n"), chunks("-1\r\na\r\n0\r\n\r\n"), chunks("\r\n0\r\n\r\n"),
				chunks("0x1\r\na\r\n0\r\n\r\n"), chunks("1\na\r\n0\r\n\r\n"), chunks("1\r\na\n0\r\n\r\n"),
				chunks("1\r\nab\r\n0\r\n\r\n"), chunks("ffffffffffffffff\r\na\r\n0\r\n\r\n"),
				chunks(" 1\r\na\r\n0\r\n\r\n"), chunks("1 \r\na\r\n0\r\n\r\n"));
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
		assertThat(answer.status()).isEqualTo(408);
		assertThat(answer.headers()).contains("content-type: application/problem+json", "connection: close");
		assertThat(JsonPath.<String>read(answer.body(), "$.type")).isEqualTo("urn:sluice:problem:request-timeout");
		assertThat(raw.isClosed()).isTrue();
	}

	/** The sum of a metric's lines that contain a text. */
	private static double sum(String metrics, String metric, String text) {
		return metrics.lines()
			.filter((line) -> line.startsWith(metric) && line.contains(text))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
			.sum();
	}

	/** How many requests were refused before the application saw them. */
	private static double refused(String metrics, String reason) {
		return sum(metrics, "sluice_requests_refused_total", "reason=\"" + reason);
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
		all.put("spring.kafka.bootstrap-servers", "127.0.0.1:1");
		all.put("sluice.drain-time", "0s");
		synchronized (STARTING) {
			this.gateway = start(all);
		}
	}

	private void backendSaves() {
		this.backend.reply(FakeBackend.Reply.of(201,
				"{\"id\":\"%s\",\"savedAt\":\"2026-11-21T11:00:00Z\"}".formatted(UUID.randomUUID())));
	}

	private void close() throws IOException {
		if (this.gateway != null) {
			stop();
		}
		this.client.close();
		if (this.scraper != null) {
			this.scraper.close();
		}
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

	/** With a new client, so on a new connection. */
	private int placeOverTls(String order) throws Exception {
		try (HttpClient tls = tls()) {
			return tls
				.send(Tls.order(secure(this.gateway)).POST(BodyPublishers.ofString(order)).build(),
						BodyHandlers.ofString())
				.statusCode();
		}
	}

	private String metricsOverTls() throws Exception {
		if (this.scraper == null) {
			this.scraper = tls();
		}
		HttpResponse<String> metrics = this.scraper.send(
				HttpRequest.newBuilder(secure(management()).resolve("/actuator/prometheus")).timeout(PATIENCE).build(),
				BodyHandlers.ofString());
		assertThat(metrics.statusCode()).isEqualTo(200);
		return metrics.body();
	}

	private static HttpClient tls() throws Exception {
		return HttpClient.newBuilder().sslContext(Certificate.shared().trusting()).connectTimeout(PATIENCE).build();
	}

	private static URI secure(URI uri) {
		return URI.create("https" + uri.toString().substring("http".length()));
	}

	private static String order() {
		return "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
			.formatted(ORDER.length(), ORDER);
	}

	@Nested
	class Requests extends Configured {

		@Override
		Map<String, String> properties() {
			return NoHurry.properties();
		}

		/** All on one gateway: it survives them and answers a good request afterwards. */
		@Test
		void refusesAndCountsWhatIsIllFormed() throws Exception {
			List<String> wrong = new ArrayList<>();
			double counted = refused(metrics(), "malformed");

			for (String request : illFormed().toList()) {
				String fault = fault(request);
				double countedBefore = counted;
				counted = refused(metrics(), "malformed");
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
				if (answer.status() != 400) {
					return "answered " + answer.status();
				}
				if (!answer.headers().contains("content-type: application/problem+json")
						|| !answer.headers().contains("connection: close")) {
					return "headers " + answer.headers();
				}
				if (!JsonPath.<String>read(answer.body(), "$.type").equals("urn:sluice:problem:invalid-request")) {
					return "body " + answer.body();
				}
				return raw.isClosed() ? "" : "not closed";
			}
			catch (IOException | RuntimeException ex) {
				return ex.toString();
			}
		}

		@Test
		void servesWhatIsUnusualAndWellFormed() throws Exception {
			String body = Integer.toHexString(ORDER.length()) + "\r\n" + ORDER + "\r\n0\r\n\r\n";
			String rest = "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s".formatted(ORDER.length(),
					ORDER);

			for (String request : List.of(chunks(body), chunks(body.replace("0\r\n\r\n", "000\r\n\r\n")),
					chunks("1;a=b\r\n{\r\n" + Integer.toHexString(ORDER.length() - 1).toUpperCase() + "\r\n"
							+ ORDER.substring(1) + "\r\n0\r\n\r\n"),
					"POST /orders HTTP/1.1\r\nHOST:a.b:8080\r\n" + rest,
					"POST /orders HTTP/1.1\r\nHost: [::1]:80\r\n" + rest,
					"\r\nPOST /orders HTTP/1.1\r\nHost: \t a \t\r\nX:\r\nY: \u00ff\r\n" + rest,
					// Fields that HTTP/2 codecs add to a request have no effect if a
					// client sends them.
					"POST /orders HTTP/1.1\r\nHost: a\r\nX-Http2-Path: /nothing\r\nX-Http2-Scheme: x\r\nX-Http2-Stream-Id: x\r\n"
							+ rest,
					"POST /orders HTTP/1.1\r\nHost: a\r\nCookie: a=b" + "; a=b".repeat(1_000) + "\r\n" + rest,
					"POST /orders?" + "a&".repeat(2_000) + " HTTP/1.1\r\nHost: a\r\n" + rest,
					"POST /orders HTTP/1.0\r\n" + rest)) {
				try (RawClient raw = connect()) {
					assertThat(raw.send(request).answer().status()).as(request).isEqualTo(201);
				}
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
						String head = "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
							.formatted(body.length());
						raw.send(head + body.substring(0, cut));
						Answer answer = raw.send(body.substring(cut)).answer();
						assertThat(answer.status()).as("%d bytes, cut at %d: %s", body.length(), cut, answer.body())
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
		void answersEachOfManyPipelinedOrders() throws Exception {
			int count = 500;

			try (RawClient raw = connect()) {
				raw.send((order() + "GET /between HTTP/1.1\r\nHost: a\r\n\r\n").repeat(count));
				for (int i = 0; i < count; i++) {
					assertThat(raw.answer().status()).as("order %d", i).isEqualTo(201);
					assertThat(raw.answer().status()).as("behind order %d", i).isEqualTo(404);
				}
			}
		}

		/** More bytes than a server reads at once, so that a body ends within a read. */
		@Test
		void answersWhatIsPipelinedBehindAChunkedBody() throws Exception {
			String small = chunkedOrder(0);
			String last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

			for (int spaces : List.of(0, 1_000, 3_900, 5_000, 15_000, 40_000)) {
				try (RawClient raw = connect()) {
					raw.send(chunkedOrder(spaces) + small.repeat(60) + last);
					for (int i = 0; i < 61; i++) {
						assertThat(raw.answer().status()).as("order %d behind %d spaces", i, spaces).isEqualTo(201);
					}
					assertThat(raw.answer().status()).isEqualTo(404);
				}
			}
		}

		private static String chunkedOrder(int spaces) {
			return chunks("%x\r\n%s\r\n0\r\n\r\n".formatted(ORDER.length() + spaces, ORDER + " ".repeat(spaces)));
		}

		@Test
		void answersWhatIsPipelinedBeforeAnIllFormedRequest() throws Exception {
			try (RawClient raw = connect()) {
				raw.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n");

				assertThat(raw.answer().status()).isEqualTo(404);
				assertThat(raw.answer().status()).isEqualTo(400);
				assertThat(raw.isClosed()).isTrue();
			}
		}

		@Test
		void answersFromTheHeadAlone() throws Exception {
			assertAnsweredFromHead("GET /nothing", "application/json", 404);
			assertAnsweredFromHead("POST /nothing", "application/x-www-form-urlencoded", 404);
			assertAnsweredFromHead("DELETE /nothing", "*/*", 404);
			assertAnsweredFromHead("GET /nothing", "application/json;charset=none", 404);
			assertAnsweredFromHead("PUT /orders", "application/x-www-form-urlencoded", 405);
			assertAnsweredFromHead("PATCH /orders", "multipart/form-data", 405);
			assertAnsweredFromHead("DELETE /orders/1", "multipart/form-data; boundary=b", 405);
			assertAnsweredFromHead("POST /orders", "multipart/form-data", 415);
			assertAnsweredFromHead("POST /orders", "multipart/form-data; boundary=b", 415);
			assertAnsweredFromHead("POST /orders", "application/x-www-form-urlencoded", 415);
			assertAnsweredFromHead("POST /orders", "application/json", 413);
			assertThat(place().status()).isEqualTo(201);
		}

		private void assertAnsweredFromHead(String request, String type, int status) throws IOException {
			try (RawClient raw = connect()) {
				Answer answer = raw
					.send("%s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n".formatted(request,
							type, FIFTY_MEGABYTES))
					.answer();

				assertThat(answer.status()).as(request + " " + type).isEqualTo(status);
				assertThat(answer.headers()).as(request + " " + type)
					.contains("content-type: application/problem+json", "connection: close");
				if (status == 405) {
					assertThat(answer.headers()).anyMatch((header) -> header.startsWith("allow: "));
				}
				assertThat(raw.isClosed()).isTrue();
			}
		}

		/** Whichever part of the body has arrived, and whatever follows it. */
		@Test
		void closesTheConnectionAfterABodyThatNobodyReads() throws Exception {
			for (String request : List.of("GET /openapi.json", "POST /nothing", "PUT /orders", "POST /orders",
					"POST /orders/x/redelivery")) {
				for (int padding : List.of(1, 4_000, 7_900)) {
					String head = "%s HTTP/1.1\r\nHost: a\r\nX: %s\r\n".formatted(request, "x".repeat(padding));
					assertOneAnswer(head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
					for (int bytes : List.of(1, 500, 3_000, 5_000, 20_000)) {
						String body = "x".repeat(bytes);
						assertOneAnswer(head + "Content-Length: %d\r\n\r\n%s".formatted(bytes, body));
						assertOneAnswer(head
								+ "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n".formatted(bytes, body));
					}
				}
			}
			assertThat(place().status()).isEqualTo(201);
		}

		private void assertOneAnswer(String request) throws IOException {
			String described = "%s, %d bytes".formatted(request.lines().findFirst(), request.length());
			try (RawClient raw = connect()) {
				Answer answer = raw.send(request + "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n").answer();

				assertThat(answer.headers()).as(described).contains("connection: close");
				assertThat(raw.isClosed()).as(described).isTrue();
			}
		}

		@Test
		void keepsTheConnectionAfterABodyThatWasReadAndAfterNone() throws Exception {
			String order = Integer.toHexString(ORDER.length()) + "\r\n" + ORDER + "\r\n0\r\n\r\n";

			try (RawClient raw = connect()) {
				assertThat(raw.send(order()).answer().status()).isEqualTo(201);
				assertThat(raw.send(chunks(order)).answer().status()).isEqualTo(201);
				raw.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
				assertThat(raw.answer().status()).isEqualTo(404);

				assertThat(raw.send("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n").answer().status()).isEqualTo(200);
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

		@ParameterizedTest
		@ValueSource(strings = { "6", "6a\r", "6a\r\n", "6a\r\n{", "1\r\n{\r\n", "1\r\n{\r\n2" })
		void givesUpChunksThatDoNotEnd(String chunks) throws Exception {
			try (RawClient raw = connect()) {
				Answer answer = raw.send(chunks(chunks)).answer();
				assertThat(answer.status()).isEqualTo(408);
				assertThat(JsonPath.<String>read(answer.body(), "$.instance")).isEqualTo("/orders");
				assertThat(raw.isClosed()).isTrue();
			}
		}

	}

	/** Few threads. A body may take long as a whole: only its rate ends it. */
	@Nested
	class ShortLimits extends Configured {

		@Override
		Map<String, String> properties() {
			return noHurry(Map.of("server.tomcat.threads.max", "2", "server.tomcat.threads.min-spare", "1",
					"sluice.head-timeout", "500ms", "sluice.min-body-rate", "1KB", "sluice.write-timeout", "500ms",
					"backend.response-timeout", "500ms", "status.key-lookup-timeout", "0s"));
		}

		@Test
		void closesTheConnectionOfAHeadThatDoesNotEnd() throws Exception {
			double late = refused(metrics(), "late");
			try (RawClient raw = connect(); RawClient kept = connect()) {
				raw.send("GET /orders/1 HTTP/1.1\r\nHost: a\r\nX: ");
				assertGivenUp(raw);

				assertThat(kept.send("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n").answer().status()).isEqualTo(200);
				kept.send("G");
				assertGivenUp(kept);
			}
			assertThat(refused(metrics(), "late") - late).isEqualTo(2);
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
		void givesUpABodyThatComesTooSlowly() throws Exception {
			try (RawClient raw = connect()) {
				assertTimedOut(raw.send(unfinished("Content-Length: 60000")));
			}
		}

		@Test
		@HoldsThread
		void givesUpClientsThatDoNotRead() throws Exception {
			String description = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
			List<RawClient> unread = new ArrayList<>();
			try {
				while (unread.size() < 3) {
					unread.add(connect().send(description.repeat(1_000)));
				}

				await().until(GatewayEdgeContract.this::places);
				for (RawClient raw : unread) {
					await().until(raw::isReset);
				}
			}
			finally {
				for (RawClient raw : unread) {
					raw.close();
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

				assertThat(answer.status()).isEqualTo(504);
				assertThat(JsonPath.<String>read(answer.body(), "$.type"))
					.isEqualTo("urn:sluice:problem:backend-timeout");
				assertThat(JsonPath.<String>read(answer.body(), "$.placed")).isEqualTo("unknown");
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
					"sluice.max-in-progress", "10"));
		}

		@ParameterizedTest
		@ValueSource(strings = { "6", "6a\r", "6a\r\n", "6a\r\n{", "1\r\n{\r\n", "1\r\n{\r\n2" })
		void holdsNoThreadForChunksThatDoNotEnd(String chunks) throws Exception {
			List<RawClient> unfinished = new ArrayList<>();
			try {
				while (unfinished.size() < 3) {
					unfinished.add(connect().send(chunks(chunks)));
				}

				assertThat(place().status()).isEqualTo(201);
			}
			finally {
				for (RawClient raw : unfinished) {
					raw.close();
				}
			}
		}

		@Test
		void letsGoodClientsInWhileBodiesAreRead() throws Exception {
			List<RawClient> slow = new ArrayList<>();
			try {
				while (slow.size() < 10) {
					slow.add(connect().send(unfinished("Content-Length: " + ORDER.length())));
				}

				assertThat(place().status()).isEqualTo(201);

				for (RawClient raw : slow) {
					// A request may give up its place a moment after its client has the
					// answer.
					await().until(() -> metrics().contains("sluice_requests_in_progress 0.0"));
					assertThat(raw.send(ORDER.substring(1)).answer().status()).isEqualTo(201);
				}
			}
			finally {
				for (RawClient raw : slow) {
					raw.close();
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
			List<RawClient> stopped = new ArrayList<>();
			try {
				while (stopped.size() < 3) {
					stopped.add(connect().send(SlowReader.REQUEST.repeat(2_000)));
				}
				for (RawClient client : stopped) {
					assertThat(client.answer().status()).isEqualTo(200);
				}

				assertThat(place().status()).isEqualTo(201);
			}
			finally {
				for (RawClient client : stopped) {
					client.close();
				}
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

			try (RawClient first = connect().send(most)) {
				await().untilAsserted(() -> {
					try (RawClient second = connect()) {
						Answer answer = second.send(most + " ".repeat(9_999)).answer();
						assertThat(answer.status()).isEqualTo(503);
						assertThat(answer.headers()).contains("retry-after: 1");
						assertThat(JsonPath.<String>read(answer.body(), "$.type"))
							.isEqualTo("urn:sluice:problem:overloaded");
					}
				});
				assertThat(place().status()).isEqualTo(201);
			}
			await().untilAsserted(() -> {
				try (RawClient third = connect()) {
					assertThat(third.send(most + " ".repeat(9_999)).answer().status()).isEqualTo(400);
				}
			});
		}

		@Test
		void boundsOpenConnections() throws Exception {
			String request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
			List<RawClient> open = new ArrayList<>();
			try {
				while (open.size() < 3) {
					RawClient raw = connect();
					open.add(raw);
					assertThat(raw.send(request).answer().status()).isEqualTo(200);
				}
				try (RawClient waiting = RawClient.connect(GatewayEdgeContract.this.gateway, Duration.ofSeconds(1))) {
					waiting.send(request);
					assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(waiting::answer);
					assertThat(health()).isEqualTo(200);
				}
				open.removeFirst().close();
				try (RawClient raw = connect()) {
					assertThat(raw.send(request).answer().status()).isEqualTo(200);
				}
			}
			finally {
				for (RawClient raw : open) {
					raw.close();
				}
			}
		}

	}

	@Nested
	class Tls extends OverHttp2 {

		@Override
		Map<String, String> more() {
			return Map.of("sluice.body-timeout", "2s", "management.server.ssl.enabled", "false");
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
		void servesHttp2AndHttp1OverTlsWithinTheSameLimits() throws Exception {
			URI secure = secure(GatewayEdgeContract.this.gateway);

			for (HttpClient.Version version : HttpClient.Version.values()) {
				try (HttpClient tls = HttpClient.newBuilder()
					.sslContext(this.certificate.trusting())
					.version(version)
					.connectTimeout(PATIENCE)
					.build()) {
					// The timeout of bodies may act on a machine that stands still.
					HttpResponse<String> placed = await().ignoreException(IOException.class)
						.until(() -> tls.send(order(secure).POST(BodyPublishers.ofString(ORDER)).build(),
								BodyHandlers.ofString()), (response) -> response.statusCode() == 201);
					assertThat(placed.version()).isEqualTo(version);
					// A client that is still sending when the gateway closes may see a
					// reset.
					await().ignoreException(IOException.class)
						.until(() -> tls
							.send(order(secure).POST(BodyPublishers.ofString("x".repeat(70_000))).build(),
									BodyHandlers.ofString())
							.statusCode(), (status) -> status == 413);
					if (version == HttpClient.Version.HTTP_2) {
						// Only the length of this body is sent. Over HTTP/1.1 this client
						// reads no answer before it has sent the body.
						assertThat(
								tls.send(order(secure)
									.POST(BodyPublishers
										.fromPublisher((subscriber) -> subscriber.onSubscribe(new NoBody()), 10))
									.build(), BodyHandlers.ofString()))
							.extracting(HttpResponse::statusCode)
							.isEqualTo(408);
					}
					assertHeadTooLarge(tls, secure);
				}
			}
		}

		/** Over HTTP/2 the stream may be reset instead of answered. */
		private static void assertHeadTooLarge(HttpClient tls, URI secure) throws InterruptedException {
			try {
				HttpResponse<String> refused = tls.send(
						order(secure).header("X", "x".repeat(20_000)).POST(BodyPublishers.ofString(ORDER)).build(),
						BodyHandlers.ofString());
				assertThat(refused.statusCode()).isBetween(400, 499);
			}
			catch (IOException ex) {
				assertThat(ex).isNotInstanceOf(HttpTimeoutException.class);
			}
		}

		private static HttpRequest.Builder order(URI gateway) {
			return HttpRequest.newBuilder(gateway.resolve("/orders"))
				.timeout(PATIENCE)
				.header("Content-Type", "application/json");
		}

	}

	/** Few threads and streams, and no end to a body. */
	@Nested
	class Http2 extends OverHttp2 {

		private static final String[] WHOLE = { ":method", "GET", ":scheme", "https", ":authority", "a", ":path",
				"/openapi.json" };

		@Override
		Map<String, String> more() {
			return Map.of("server.tomcat.threads.max", "2", "server.tomcat.threads.min-spare", "1",
					"sluice.max-streams", "10", "sluice.head-timeout", "10m", "sluice.body-timeout", "10m",
					"sluice.min-body-rate", "0B", "backend.response-timeout", "1s");
		}

		@Test
		@HoldsThread
		void holdsNoThreadForClientsThatDoNotRead() throws Exception {
			try (RawHttp2Client unread = open(0)) {
				unread.head("GET", "/openapi.json", 0);
				unread.head("GET", "/openapi.json", 0);

				await().until(() -> placeOverTls() == 201);
				await().until(() -> unread.openStreams(Duration.ofMillis(100)) == 0);
			}
		}

		/** Every read of theirs is progress. They would need a minute for everything. */
		@Test
		@HoldsThread
		void holdsNoThreadForClientsThatReadLittleByLittle() throws Exception {
			try (RawHttp2Client slow = open(0)) {
				for (int i = 0; i < 8; i++) {
					slow.head("GET", "/openapi.json", 0);
				}
				AtomicInteger taken = new AtomicInteger();
				Thread reading = Thread.startVirtualThread(() -> {
					try {
						while (slow.openStreams(Duration.ofMillis(300)) > 0) {
							for (int stream = 1; stream < 16; stream += 2) {
								slow.send(RawHttp2Client.WINDOW_UPDATE, 0, stream, (byte) 0, (byte) 0, (byte) 4,
										(byte) 0);
							}
							taken.incrementAndGet();
						}
					}
					catch (IOException ex) {
						// The test or the gateway has closed it.
					}
				});
				await().until(() -> taken.get() >= 4 || !reading.isAlive());

				await().until(() -> placeOverTls() == 201);
			}
		}

		/**
		 * The servlet gateway divides the streams among connections, and closes one that
		 * asks for too many.
		 */
		@Test
		void boundsTheStreamsOfAllConnections() throws Exception {
			List<RawHttp2Client> connections = new ArrayList<>();
			try {
				int streams = 0;
				for (int i = 0; i < 4; i++) {
					RawHttp2Client connection = open(1 << 16);
					connections.add(connection);
					connection.openStreams();
					for (int request = 0; request < 10; request++) {
						connection.head("POST", "/orders", 1_000);
					}
					streams += connection.openStreams();
				}

				assertThat(streams).isLessThanOrEqualTo(10 + 5 + 3 + 2);
			}
			finally {
				for (RawHttp2Client connection : connections) {
					connection.close();
				}
			}
			await().until(() -> placeOverTls() == 201);
		}

		/** With more such clients than the gateway has threads and streams. */
		@Test
		void holdsNothingOfClientsThatBreakTheRulesWithinABody() throws Exception {
			byte[] tooMuch = new byte[2_000];
			byte[] halfACode = new byte[3];
			for (int i = 0; i < 15; i++) {
				try (RawHttp2Client more = open(1 << 16); RawHttp2Client less = open(1 << 16)) {
					more.send(RawHttp2Client.DATA, 0, more.head("POST", "/orders", 1_000), tooMuch);
					less.send(RawHttp2Client.RST_STREAM, 0, less.head("POST", "/orders", 1_000), halfACode);
					more.openStreams(Duration.ofMillis(100));
					less.openStreams(Duration.ofMillis(100));
				}
				await().ignoreException(IOException.class).until(() -> placeOverTls() == 201);
			}
			// A gateway that stops waits for these.
			await().until(() -> sum(metricsOverTls(), "sluice_requests_receiving", "") == 0);
		}

		/** Tomcat never ends such a request. */
		@Test
		void givesThePlaceBackOfAnOrderWhoseClientBreaksTheRulesWhileItWaits() throws Exception {
			GatewayEdgeContract.this.backend.reply(FakeBackend.Reply.never());
			try {
				for (int i = 0; i < 5; i++) {
					int received = GatewayEdgeContract.this.backend.requests().size();
					try (RawHttp2Client client = open(1 << 16)) {
						int stream = client.request("POST", "/orders", ORDER);
						await().until(() -> GatewayEdgeContract.this.backend.requests().size() > received);
						client.send(RawHttp2Client.RST_STREAM, 0, stream, new byte[3]);
						client.openStreams(Duration.ofMillis(100));
					}
					await().until(() -> inProgress() == 0);
				}
			}
			finally {
				backendSaves();
			}
		}

		/** By the rules of HTTP/1.1, and by those of HTTP/2 where they are stricter. */
		@Test
		void refusesWhatIsIllFormed() throws Exception {
			List<String> wrong = new ArrayList<>();

			for (String path : List.of("//", "//orders", "/orders/%zz", "/orders/%", "/orders/%00", "/orders/%2f",
					"/orders/%5c", "/orders/{1}", "/orders/<1>", "/orders/\"1\"", "/orders/|", "/orders/^", "/orders/`",
					"/orders/\\", "/orders/[1]", "/orders/%ff", "/orders/%c0%af", "/..", "/../orders", "/%2e%2e",
					"/orders?%zz", "/orders?status=failed&after=%ff%fe", "/orders?{", "/orders?\"")) {
				String fault = fault(400, ":method", "GET", ":scheme", "https", ":authority", "a", ":path", path);
				if (!fault.isEmpty()) {
					wrong.add(path + ": " + fault);
				}
			}
			for (String path : List.of("*", "orders", "https://a/orders", "?", "/orders/\u00e4", "/orders/1 2",
					"/orders\t", "/orders\r\nX: y", "/orders\0", "/orders#", "/orders?status=failed#x",
					"/orders?\u00ff")) {
				String fault = fault(0, ":method", "GET", ":scheme", "https", ":authority", "a", ":path", path);
				if (!fault.isEmpty()) {
					wrong.add(path + ": " + fault);
				}
			}
			for (String authority : List.of("", "a b", "u@a", "a/b", "a:b", "a..b", "[zz]", "a:65536", "a, b")) {
				String fault = fault(0, ":method", "GET", ":scheme", "https", ":authority", authority, ":path",
						"/openapi.json");
				if (!fault.isEmpty()) {
					wrong.add("authority " + authority + ": " + fault);
				}
			}
			for (String method : List.of("", "G@T", "GET ", "TRACE", "CONNECT")) {
				String fault = fault(0, ":method", method, ":scheme", "https", ":authority", "a", ":path",
						"/openapi.json");
				if (!fault.isEmpty()) {
					wrong.add("method " + method + ": " + fault);
				}
			}

			for (String[] fields : List.of(new String[] { "x", "y".repeat(8_192) }, many("x"), many("x-http2-path"))) {
				String fault = fault(400, with(WHOLE, fields));
				if (!fault.isEmpty()) {
					wrong.add(fields[0] + " " + fields[1].length() + ": " + fault);
				}
			}
			for (String name : List.of("x", "x-http2-path")) {
				String fault = fault(0, with(WHOLE, name, "\u0001"));
				if (!fault.isEmpty()) {
					wrong.add(name + " with a control character: " + fault);
				}
			}

			assertThat(wrong).isEmpty();
			assertThat(fault(200, ":method", "GET", ":scheme", "https", ":authority", "a.b:8080", ":path",
					"/openapi.json;x=y?a=[b]", "cookie", "a=b"))
				.isEmpty();
		}

		/** More fields than a request may have. */
		private static String[] many(String name) {
			return Stream.generate(() -> Stream.of(name, "y"))
				.limit(101)
				.flatMap((field) -> field)
				.toArray(String[]::new);
		}

		@Test
		void servesWhatIsUnusualAndWellFormed() throws Exception {
			assertThat(fault(200, with(WHOLE, "x", "y".repeat(8_000)))).isEmpty();
			assertThat(fault(200, with(WHOLE, Arrays.copyOf(many("x"), 2 * 98)))).isEmpty();
			assertThat(fault(200,
					with(WHOLE, "x-http2-path", "/nothing", "x-http2-scheme", "x", "x-http2-stream-id", "x")))
				.isEmpty();
		}

		/** More than twice the limit: the gateway need not read it. */
		@Test
		void endsTheStreamOfAHeadThatIsMuchTooLarge() throws Exception {
			for (int bytes : List.of(17_000, 100_000)) {
				double before = refused(metricsOverTls(), "");
				try (RawHttp2Client client = open(1 << 16)) {
					int stream = client.fields(with(WHOLE, "x", "y".repeat(bytes)));
					assertThat(client.outcomeOf(stream, PATIENCE).status()).as("%d bytes", bytes).isIn(0, 431);
				}
				catch (SocketException | SSLException ex) {
					// The gateway closed the connection before it had everything.
				}
				assertThat(refused(metricsOverTls(), "") - before).isPositive();
			}
			assertThat(placeOverTls()).isEqualTo(201);
		}

		/** The stream ends, with an answer or a reset, and is counted. */
		@Test
		void refusesAndCountsHeadsThatBreakTheRules() throws Exception {
			List<String[]> heads = new ArrayList<>();
			for (int i = 0; i < WHOLE.length; i += 2) {
				if (!WHOLE[i].equals(":authority")) {
					heads.add(Stream.concat(Arrays.stream(WHOLE, 0, i), Arrays.stream(WHOLE, i + 2, WHOLE.length))
						.toArray(String[]::new));
					heads.add(with(WHOLE, WHOLE[i], WHOLE[i + 1]));
				}
			}
			heads
				.add(new String[] { ":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/openapi.json" });
			heads.add(new String[] { ":method", "GET", ":scheme", "", ":authority", "a", ":path", "/openapi.json" });
			heads.add(with(WHOLE, "content-length", "0", "content-length", "1"));
			for (String length : List.of("", "x", "-1", "+0", "0x0", "0, 1", "99999999999999999999", "5")) {
				heads.add(with(WHOLE, "content-length", length));
			}
			heads.add(with(WHOLE, "x", " y"));
			heads.add(with(WHOLE, "x", "y "));
			heads.add(with(WHOLE, "x", "y\t"));
			heads.add(with(WHOLE, "X", "y"));
			heads.add(with(WHOLE, "connection", "close"));
			heads.add(with(WHOLE, "transfer-encoding", "chunked"));
			heads.add(with(WHOLE, ":unknown", "y"));
			List<String> wrong = new ArrayList<>();

			double counted = refused(metricsOverTls(), "");
			for (String[] head : heads) {
				String fault = fault(0, head);
				if (!fault.isEmpty()) {
					wrong.add(String.join("|", head) + ": " + fault);
				}
				double countedBefore = counted;
				counted = refused(metricsOverTls(), "");
				if (counted == countedBefore) {
					wrong.add(String.join("|", head) + ": not counted");
				}
			}

			assertThat(wrong).isEmpty();
		}

		private static String[] with(String[] fields, String... more) {
			return Stream.concat(Arrays.stream(fields), Arrays.stream(more)).toArray(String[]::new);
		}

		/**
		 * The error in the answer, empty if there is none.
		 * @param expected 200; 400; or 0 for 400 or a reset; 400 has a document
		 */
		private String fault(int expected, String... fields) throws Exception {
			try (RawHttp2Client client = open(1 << 20)) {
				RawHttp2Client.Outcome outcome = client.outcomeOf(client.fields(fields), PATIENCE);
				boolean problem = outcome.body().contains("urn:sluice:problem:invalid-request");
				return switch (outcome.status()) {
					case 200 -> (expected == 200) ? "" : "served";
					case 400 -> (expected != 200 && problem) ? "" : "body " + outcome.body();
					default -> (outcome.status() == expected) ? "" : "answered " + outcome;
				};
			}
		}

		private double inProgress() throws Exception {
			return sum(metricsOverTls(), "sluice_requests_in_progress", "");
		}

		/** The client may repeat it, because the gateway has not processed it. */
		@Test
		void placesAnOrderWhoseStreamWasRefusedOnlyWhenItIsRepeated() throws Exception {
			String order = noted("refused");

			try (RawHttp2Client full = open(1 << 16)) {
				fill(full);
				assertRefused(full, full.request("POST", "/orders", order));
				assertThat(received("refused")).isEmpty();
			}

			await().ignoreException(IOException.class).until(() -> placeOverTls(order) == 201);
			assertThat(received("refused")).hasSize(1);
		}

		/** The backend is asked for an order that PostgreSQL and Kafka do not know. */
		@Test
		void beginsNothingForARequestWithoutABodyWhoseStreamWasRefused() throws Exception {
			String path = "/orders/" + UUID.randomUUID();

			try (RawHttp2Client full = open(1 << 16)) {
				fill(full);
				double begun = begun();
				assertRefused(full, full.request("GET", path, ""));
				// Time for a request that it might have started.
				assertThat(full.openStreams(Duration.ofSeconds(1))).isPositive();
				assertThat(received(path)).isEmpty();
				assertThat(begun()).isEqualTo(begun);
			}

			await().untilAsserted(() -> {
				try (RawHttp2Client repeating = open(1 << 16)) {
					repeating.request("GET", path, "");
					repeating.openStreams(Duration.ofSeconds(1));
					assertThat(received(path)).isNotEmpty();
				}
			});
		}

		/**
		 * GET requests that the API has served, including those that the client gave up.
		 */
		private double begun() throws Exception {
			return metricsOverTls().lines()
				.filter((line) -> line.startsWith("http_server_requests_seconds_count") && line.contains("\"GET\"")
						&& !line.contains("/actuator"))
				.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
				.sum();
		}

		/** Opens streams until one is refused. */
		private static void fill(RawHttp2Client connection) throws IOException {
			int streams = 0;
			while (connection.resetOf(connection.head("POST", "/orders", 1_000), Duration.ofMillis(300)).isEmpty()) {
				assertThat(++streams).isLessThanOrEqualTo(10);
			}
		}

		/**
		 * The servlet gateway closes a connection of which it must refuse several
		 * streams.
		 */
		private static void assertRefused(RawHttp2Client connection, int stream) {
			await().untilAsserted(() -> assertThat(connection.resetOf(stream, Duration.ofMillis(100)))
				.hasValue(RawHttp2Client.REFUSED_STREAM));
		}

		private static String noted(String note) {
			return ORDER.substring(0, ORDER.length() - 1) + ",\"note\":\"" + note + "\"}";
		}

		/** The backend's requests that contain a text. */
		private List<String> received(String text) {
			return GatewayEdgeContract.this.backend.requests()
				.stream()
				.filter((request) -> request.contains(text))
				.toList();
		}

	}

	/** Few streams, and no end to the wait for a client that reads. */
	@Nested
	class UnreadAnswers extends OverHttp2 {

		@Override
		Map<String, String> more() {
			return Map.of("sluice.max-streams", "20", "sluice.write-timeout", "10m");
		}

		/** With any number of streams, on any number of connections. */
		@Test
		void keepNoOtherClientOut() throws Exception {
			List<RawHttp2Client> unread = new ArrayList<>();
			try (RawHttp2Client good = open(1 << 16)) {
				while (unread.size() < 10) {
					RawHttp2Client flood = open(0);
					unread.add(flood);
					placeMany(flood);

					assertPlaces(good);
					try (RawHttp2Client another = open(1 << 16)) {
						assertPlaces(another);
					}
				}
				for (RawHttp2Client flood : unread) {
					flood.close();
				}
				assertPlaces(good);
			}
			finally {
				for (RawHttp2Client flood : unread) {
					flood.close();
				}
			}
			assertThat(refused(metricsOverTls(), "refused-stream")).isPositive();
		}

		private static void placeMany(RawHttp2Client client) throws IOException {
			try {
				for (int i = 0; i < 50; i++) {
					client.request("POST", "/orders", ORDER);
				}
			}
			catch (SocketException | SSLException ex) {
				// The gateway has closed it.
			}
		}

		private static void assertPlaces(RawHttp2Client client) throws IOException {
			int stream = client.request("POST", "/orders", ORDER);
			assertThat(client.outcomeOf(stream, PATIENCE).status()).isEqualTo(201);
		}

	}

	/** With the default log levels. Runs alone, because it reads the log. */
	@Nested
	@ResourceLock(JVM)
	@ExtendWith(OutputCaptureExtension.class)
	class BrokenTlsAndHttp2 extends OverHttp2 {

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
			for (String protocol : List.of("http/1.0", "h2c", "h3", "nonsense")) {
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

		@Test
		void leavesNoStackTraceOfFramesThatBreakTheRules(CapturedOutput output) throws Exception {
			someAtATime(misdeeds(), (misdeed) -> {
				try (RawHttp2Client closed = open(1 << 16);
						RawHttp2Client reset = open(1 << 16);
						RawHttp2Client read = open(1 << 16)) {
					for (RawHttp2Client client : List.of(closed, reset, read)) {
						client.head("POST", "/orders", 1_000);
						try {
							misdeed.with(client);
						}
						catch (SocketException | SSLException ex) {
							// The gateway closed the connection before it had everything.
						}
					}
					reset.reset();
					read.openStreams(Duration.ofMillis(300));
				}
			});
			notHttp2();

			assertServesWithoutStackTrace(output);
		}

		/** For a connection whose first stream has a request without its body. */
		private static List<Attempt<RawHttp2Client>> misdeeds() {
			return List.of((_) -> {
			}, (client) -> client.send(RawHttp2Client.DATA, 0, 1, new byte[2_000]),
					(client) -> client.send(RawHttp2Client.DATA, 1, 1, new byte[10]),
					(client) -> client.send(RawHttp2Client.DATA, 8, 1, (byte) 200),
					(client) -> client.send(RawHttp2Client.DATA, 0, 0, new byte[1]),
					(client) -> client.send(RawHttp2Client.DATA, 0, 9, new byte[1]),
					(client) -> client.send(RawHttp2Client.DATA, 0, 1, new byte[60_000]),
					(client) -> client.send(RawHttp2Client.HEADERS, 5, 2, new byte[1]),
					(client) -> client.send(RawHttp2Client.HEADERS, 5, 3, new byte[0]),
					(client) -> client.send(RawHttp2Client.HEADERS, 5, 3, (byte) 0xff, (byte) 0xff, (byte) 0xff),
					(client) -> client.send(RawHttp2Client.HEADERS, 4, 3, (byte) 0, (byte) 1, (byte) 'X', (byte) 0),
					(client) -> client.send(RawHttp2Client.HEADERS, 0, 3, (byte) 0x82),
					(client) -> client.send(RawHttp2Client.CONTINUATION, 4, 3, (byte) 0x82),
					(client) -> client.send(RawHttp2Client.RST_STREAM, 0, 9, new byte[4]),
					(client) -> client.send(RawHttp2Client.RST_STREAM, 0, 1, new byte[4]),
					(client) -> client.send(RawHttp2Client.RST_STREAM, 0, 1, new byte[3]),
					(client) -> client.send(RawHttp2Client.SETTINGS, 0, 0, new byte[5]),
					(client) -> client.send(RawHttp2Client.SETTINGS, 0, 1, new byte[6]),
					(client) -> client.send(RawHttp2Client.SETTINGS, 0, 0, (byte) 0, (byte) 4, (byte) 0xff, (byte) 0xff,
							(byte) 0xff, (byte) 0xff),
					(client) -> client.send(RawHttp2Client.PING, 0, 0, new byte[7]),
					(client) -> client.send(RawHttp2Client.PING, 0, 1, new byte[8]),
					(client) -> client.send(RawHttp2Client.WINDOW_UPDATE, 0, 0, new byte[4]),
					(client) -> client.send(RawHttp2Client.WINDOW_UPDATE, 0, 1, new byte[4]),
					(client) -> client
						.send(RawHttp2Client.WINDOW_UPDATE, 0, 0, (byte) 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff),
					(client) -> client.send(200, 0, 0, new byte[10]),
					(client) -> client.fields(":method", "GET", ":path", "/", ":scheme", "https", "content-length",
							"x"),
					(client) -> client.fields(":method", "GET", ":path", "/", ":scheme", "https", "content-length", "0",
							"content-length", "1"),
					(client) -> client.fields(":path", "/", ":scheme", "https"),
					// Answered from its head.
					(client) -> client.send(RawHttp2Client.DATA, 1, client.head("POST", "/nothing", 1_000),
							new byte[10]),
					(client) -> {
						for (int i = 0; i < 500; i++) {
							int stream = client.head("POST", "/orders", 1_000);
							client.send(RawHttp2Client.RST_STREAM, 0, stream, new byte[4]);
						}
					}, (client) -> {
						for (int i = 0; i < 300; i++) {
							client.head("GET", "/openapi.json", 0);
						}
					});
		}

		/** Bytes of another protocol where HTTP/2 was agreed on. */
		private void notHttp2() throws Exception {
			for (String bytes : List.of("", "PRI", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
					"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx", "x".repeat(20_000))) {
				handshake(this.certificate.trusting(),
						(parameters) -> parameters.setApplicationProtocols(new String[] { "h2" }));
				try (SSLSocket socket = connectOverTls(GatewayEdgeContract.this.gateway, "h2")) {
					socket.setSoTimeout(300);
					socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
					socket.getInputStream().readAllBytes();
				}
				catch (SSLException | SocketException | SocketTimeoutException ex) {
					// The gateway may end it in any way.
				}
			}
		}

		@Test
		void leavesNoStackTraceOfIllFormedRequestsOfHttp1(CapturedOutput output) throws Exception {
			someAtATime(illFormed().toList(), this::sendOverTls);

			assertServesWithoutStackTrace(output);
		}

		private void sendOverTls(String request) throws Exception {
			try (SSLSocket socket = connectOverTls(GatewayEdgeContract.this.gateway)) {
				socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
				socket.setSoTimeout(300);
				socket.getInputStream().readAllBytes();
			}
			catch (SSLException | SocketException | SocketTimeoutException ex) {
				// The gateway may end it in any way.
			}
		}

		/** Otherwise a client could fill the disk. */
		@Test
		void leavesNoLineInTheLogForEachRequestThatIsRefused(CapturedOutput output) throws Exception {
			long before = output.getAll().lines().count();

			someAtATime(illFormed().toList(), this::sendOverTls);
			someAtATime(Stream.generate(() -> "//").limit(50).toList(), (path) -> {
				try (RawHttp2Client client = open(1 << 16)) {
					for (int i = 0; i < 4; i++) {
						client.send(RawHttp2Client.DATA, 0, client.request("POST", "/orders", ORDER), (byte) 1);
					}
					client.outcomeOf(1, PATIENCE);
				}
				catch (SocketException | SSLException ex) {
					// The gateway closed the connection before it had everything.
				}
				try (RawHttp2Client client = open(1 << 16)) {
					// Settings that nobody knows, as browsers send them, and an
					// acknowledgement of none.
					client.send(RawHttp2Client.SETTINGS, 0, 0, new byte[60]);
					client.send(RawHttp2Client.SETTINGS, 1, 0);
					client.send(RawHttp2Client.SETTINGS, 1, 0);
					client.outcomeOf(client.head("GET", "/openapi.json", 0), PATIENCE);
				}
				catch (SocketException | SSLException ex) {
					// The gateway closed the connection before it had everything.
				}
				try (RawHttp2Client client = open(1 << 16)) {
					client.fields(":method", "GET", ":scheme", "https", ":authority", "a", ":path", path);
					client.fields(":method", "GET", ":scheme", "https", ":authority", "a");
					client.fields(":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/nothing");
					int last = client.fields(":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/", "x",
							"y".repeat(9_000));
					client.outcomeOf(last, PATIENCE);
				}
				try (RawHttp2Client client = open(1 << 16)) {
					// A head without a path, END_HEADERS; the body follows after the
					// reset.
					client.send(RawHttp2Client.HEADERS, 4, 1, (byte) 0x83, (byte) 0x87);
					for (int frame = 0; frame < 20; frame++) {
						client.send(RawHttp2Client.DATA, 0, 1, (byte) 1);
					}
					client.outcomeOf(1, PATIENCE);
				}
				catch (SocketException | SSLException ex) {
					// The gateway closed the connection before it had everything.
				}
			});

			assertThat(output.getAll().lines().count() - before).isLessThan(50);
		}

		/**
		 * Prometheus and probes need no HTTP/2, and without it a server has less to
		 * guard.
		 */
		@Test
		void servesHealthAndMetricsOverHttp1Only() throws Exception {
			try (SSLSocket socket = connectOverTls(management(), "h2", "http/1.1")) {
				socket.startHandshake();

				assertThat(socket.getApplicationProtocol()).isNotEqualTo("h2");
			}
			assertThat(metricsOverTls()).contains("sluice_requests_in_progress");
		}

		@Test
		void leavesNothingOfConnectionsThatAreResetWithTheirPreface(CapturedOutput output) throws Exception {
			for (int i = 0; i < 2 * CONNECTIONS; i++) {
				resetWithPreface();
			}

			assertServesWithoutStackTrace(output);
		}

		private void resetWithPreface() throws IOException {
			byte[] prefaceAndSettings = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
				.getBytes(StandardCharsets.US_ASCII);
			try (SSLSocket socket = connectOverTls(GatewayEdgeContract.this.gateway, "h2")) {
				// The gateway sends its settings first, then it reads.
				socket.getInputStream().readNBytes(9);
				socket.getOutputStream().write(prefaceAndSettings);
				socket.setSoLinger(true, 0);
			}
		}

		/** A connection before its handshake, with the protocols that it offers. */
		private SSLSocket connectOverTls(URI uri, String... protocols) throws IOException {
			SSLSocket socket = (SSLSocket) this.certificate.trusting()
				.getSocketFactory()
				.createSocket(uri.getHost(), uri.getPort());
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setApplicationProtocols(protocols);
			socket.setSSLParameters(parameters);
			socket.setSoTimeout((int) PATIENCE.toMillis());
			return socket;
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

		private void assertServesWithoutStackTrace(CapturedOutput output) throws Exception {
			await().ignoreException(IOException.class).until(() -> placeOverTls() == 201);
			assertThat(NO_POSTGRESQL.matcher(output.getAll()).replaceAll("")).doesNotContain("\tat ");
		}

	}

	/** An action on one of several items. */
	@FunctionalInterface
	private interface Attempt<T> {

		void with(T one) throws Exception;

	}

	@Nested
	class Http2Stop extends OverHttp2 {

		@Override
		Map<String, String> more() {
			return Map.of("sluice.body-timeout", "10m", "sluice.min-body-rate", "0B",
					"spring.lifecycle.timeout-per-shutdown-phase", "20s");
		}

		@Test
		void finishesAnOrderWhoseBodyArrivesWhileItStops() throws Exception {
			assertThat(placeOverTls()).isEqualTo(201);
			try (RawHttp2Client client = open(1 << 16)) {
				int order = client.head("POST", "/orders", ORDER.length());
				// The head behind it is answered, so this one has been read.
				int next = client.request("GET", "/orders/1", "");
				assertThat(client.outcomeOf(next, PATIENCE).status()).isEqualTo(400);
				CompletableFuture<Void> stopped = CompletableFuture.runAsync(GatewayEdgeContract.this::stop);
				await().until(this::takesNoMore);

				client.send(RawHttp2Client.DATA, RawHttp2Client.END_STREAM, order,
						ORDER.getBytes(StandardCharsets.UTF_8));

				assertThat(client.outcomeOf(order, PATIENCE).status()).isEqualTo(201);
				assertThat(stopped).succeedsWithin(PATIENCE);
			}
		}

		private boolean takesNoMore() throws Exception {
			try {
				return placeOverTls() == 503;
			}
			catch (IOException ex) {
				return true;
			}
		}

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

	/** A gateway with TLS and HTTP/2. */
	abstract class OverHttp2 extends Configured {

		Certificate certificate;

		/** The gateway's properties, in addition to those for TLS and HTTP/2. */
		abstract Map<String, String> more();

		@Override
		Map<String, String> properties() throws Exception {
			this.certificate = Certificate.shared();
			Map<String, String> properties = new HashMap<>(this.certificate.properties());
			properties.put("server.http2.enabled", "true");
			// Tomcat counts requests of clients that broke a rule as active.
			properties.put("spring.lifecycle.timeout-per-shutdown-phase", "2s");
			properties.putAll(more());
			return properties;
		}

		RawHttp2Client open(int windowBytes) throws Exception {
			return new RawHttp2Client(GatewayEdgeContract.this.gateway, this.certificate.trusting(), windowBytes);
		}

		int placeOverTls() throws Exception {
			return placeOverTls(ORDER);
		}

		int placeOverTls(String order) throws Exception {
			return GatewayEdgeContract.this.placeOverTls(order);
		}

	}

	/** Requests many documents at once, and reads one every 50 ms. */
	private static final class SlowReader implements AutoCloseable {

		private static final String REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

		private final RawClient raw;

		private final Thread thread;

		private volatile int answers;

		SlowReader(RawClient raw, int requests) throws IOException {
			this.raw = raw.send(REQUEST.repeat(requests));
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

	/** The subscription to a body that never arrives. */
	private static final class NoBody implements Flow.Subscription {

		@Override
		public void request(long n) {
		}

		@Override
		public void cancel() {
		}

	}

}
