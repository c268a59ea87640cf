package dev.sluice.consumer.backend;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.contract.AnsweredOrder;
import dev.sluice.contract.FakeBackend;
import dev.sluice.contract.FakeBackend.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The result of each answer of a backend. */
class HttpBackendTests {

	private static final Instant NOW = Instant.parse("2026-11-06T08:49:30Z");

	private static final String ANSWER = "{\"detail\":\"see http://10.0.0.7:8090, admin\"}";

	private final QueuedOrder order = new QueuedOrder(UUID.randomUUID(), "c-1", NOW, null,
			"{}".getBytes(StandardCharsets.UTF_8));

	private final CountDownLatch end = new CountDownLatch(1);

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private HttpServer server;

	private int status = 201;

	private String body = ANSWER;

	private @Nullable String retryAfter;

	private boolean hangs;

	private volatile String received = "";

	private volatile Headers headers = new Headers();

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.executor);
		this.server.createContext("/orders", (exchange) -> {
			if (this.hangs) {
				try {
					this.end.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
			this.received = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
			this.headers = exchange.getRequestHeaders();
			if (this.retryAfter != null) {
				exchange.getResponseHeaders().set("Retry-After", this.retryAfter);
			}
			byte[] bytes = this.body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(this.status, (bytes.length > 0) ? bytes.length : -1);
			exchange.getResponseBody().write(bytes);
			exchange.close();
		});
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.end.countDown();
		this.server.stop(0);
		this.executor.shutdownNow();
	}

	@Test
	void sendsTheOrderUnderItsIdWithinItsTrace() {
		String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
		UUID id = this.order.id();
		deliver(new QueuedOrder(id, "c-1", NOW, trace, "{\"sku\":1}".getBytes(StandardCharsets.UTF_8)));

		assertThat(this.received).isEqualTo("{\"sku\":1}");
		assertThat(this.headers.getFirst("Idempotency-Key")).isEqualTo("\"" + id + "\"");
		assertThat(this.headers.getFirst("Content-Type")).startsWith("application/json");
		assertThat(this.headers.getFirst("traceparent")).isEqualTo(trace);

		deliver();
		assertThat(this.headers.containsKey("traceparent")).isFalse();
	}

	static List<AnsweredOrder> answers() {
		return AnsweredOrder.all();
	}

	@ParameterizedTest
	@MethodSource("answers")
	void meansTheSameAsAtAGateway(AnsweredOrder answer) throws IOException {
		try (FakeBackend backend = new FakeBackend()) {
			backend.reply(answer.reply(this.order.id(), null));

			Attempt attempt = deliver(backend.uri().getPort(), Duration.ofSeconds(10));

			String text = new String(answer.body(this.order.id()), StandardCharsets.UTF_8);
			String detail = "the backend answered " + answer.status() + (text.isEmpty() ? "" : ": " + text);
			switch (answer.meaning()) {
				case "saved" -> assertThat(attempt).isEqualTo(new Saved(Instant.parse("2026-01-01T00:00:00Z")));
				case "saved, our time" -> assertThat(attempt).isEqualTo(new Saved(null));
				case "rejected" -> assertThat(attempt).isEqualTo(new Rejected(new FailureReason(
						"The backend refused the order (status %s).".formatted(answer.status()), detail)));
				case "conflict" -> assertThat(attempt).isEqualTo(
						new Conflict(new FailureReason("Another order was accepted under this id before.", detail)));
				default -> {
					// 429 is always throttling, 503 without Retry-After never.
					if (answer.status() == 429) {
						assertThat(attempt).isInstanceOf(Throttled.class);
					}
					else {
						assertThat(attempt).isEqualTo(new RetryLater(
								new FailureReason("The backend failed (status %s).".formatted(answer.status()), detail),
								(answer.status() == 504) ? Reach.UNANSWERED : Reach.ANSWERED));
					}
				}
			}
		}
	}

	@ParameterizedTest
	@MethodSource("answers")
	void findsAnOrderByTheSameRule(AnsweredOrder answer) throws IOException {
		UUID id = this.order.id();
		try (FakeBackend server = new FakeBackend();
				HttpBackend backend = backend(server.uri().getPort(), Duration.ofSeconds(10))) {
			server.reply(answer.reply(id, null));

			assertThat(backend.find(id)).isEqualTo(switch (answer.meaning()) {
				case "saved" -> new Saved(Instant.parse("2026-01-01T00:00:00Z"));
				case "saved, our time" -> new Saved(null);
				default -> null;
			});
			assertThat(server.requests()).singleElement().asString().startsWith("GET /orders/" + id + " HTTP/1.1\r\n");
		}
	}

	@Test
	void findsNothingWhereNobodyAnswersInTime() throws IOException {
		try (HttpBackend nobody = backend(1, Duration.ofSeconds(10));
				FakeBackend server = new FakeBackend();
				HttpBackend silent = backend(server.uri().getPort(), Duration.ofMillis(50))) {
			server.reply(Reply.never());

			assertThat(nobody.find(this.order.id())).isNull();
			assertThat(silent.find(this.order.id())).isNull();
		}
	}

	@Test
	void readsNoMoreOfAnAnswerThanItsBound() {
		this.body = "{\"padding\":\"%s\",\"id\":\"%s\"}".formatted("x".repeat(64 * 1024), this.order.id());

		assertThat(deliver()).isInstanceOf(RetryLater.class);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "none", textBlock = """
			429 | none                           | PT0S
			429 | soon                           | PT0S
			429 | 7                              | PT7S
			429 | Fri, 06 Nov 2026 08:49:37 GMT  | PT7S
			503 | 7                              | PT7S
			503 | 0                              | PT0S
			503 | Fri, 06 Nov 2026 08:49:37 GMT  | PT7S
			""")
	void isThrottled(int status, @Nullable String retryAfter, Duration expected) {
		this.status = status;
		this.retryAfter = retryAfter;

		assertThat(deliver())
			.isEqualTo(new Throttled(new FailureReason("The backend takes no more orders at the moment.",
					"the backend answered %s: %s".formatted(status, ANSWER)), expected));
	}

	@Test
	void aFailureWithARetryAfterThatCannotBeReadIsAFailure() {
		this.status = 503;
		this.retryAfter = "soon";

		assertThat(deliver()).isInstanceOf(RetryLater.class);
	}

	@Test
	void isNotReachedWhereNobodyListens() {
		assertThat(deliver(1, Duration.ofSeconds(10))).isInstanceOfSatisfying(RetryLater.class, (attempt) -> {
			assertThat(attempt.reach()).isEqualTo(Reach.NOT_REACHED);
			assertThat(attempt.why().reason()).isEqualTo("The backend could not be reached.");
			assertThat(attempt.why().detail()).contains("127.0.0.1");
		});
	}

	@Test
	void saysHowLongTheBackendDidNotAnswer() {
		this.hangs = true;

		assertThat(deliver(this.server.getAddress().getPort(), Duration.ofMillis(50)))
			.isInstanceOfSatisfying(RetryLater.class, (attempt) -> {
				assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
				assertThat(attempt.why().reason()).isEqualTo("The backend did not answer within 50 ms.");
			});
	}

	/** No single byte is late. */
	@Test
	void endsAnAnswerThatComesByteByByteAtItsDeadline() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.executor.submit(() -> {
				try (Socket connection = socket.accept()) {
					OutputStream answer = connection.getOutputStream();
					answer.write(
							"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
					while (!this.end.await(1, TimeUnit.MILLISECONDS)) {
						answer.write('x');
					}
				}
				return null;
			});

			assertThat(deliver(socket.getLocalPort(), Duration.ofMillis(100), Duration.ofMillis(100)))
				.isInstanceOfSatisfying(RetryLater.class, (attempt) -> {
					assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
					assertThat(attempt.why().reason()).isEqualTo("The backend did not answer within 100 ms.");
				});
		}
	}

	@Test
	void isTriedAgainWhenTheConnectionIsLost() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.executor.submit(() -> {
				socket.accept().close();
				return null;
			});

			assertThat(deliver(socket.getLocalPort(), Duration.ofSeconds(10))).isInstanceOfSatisfying(RetryLater.class,
					(attempt) -> {
						assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
						assertThat(attempt.why().reason()).isEqualTo("The connection to the backend was lost.");
					});
		}
	}

	@Test
	void saysTheBeginningOfAnAnswerInOneLine() {
		this.status = 500;
		this.body = " a\r\n\tb\0c " + "x".repeat(300);
		assertThat(deliver()).isInstanceOfSatisfying(RetryLater.class, (attempt) -> assertThat(attempt.why().detail())
			.isEqualTo("the backend answered 500: a b c " + "x".repeat(194)));

		this.body = "";
		assertThat(deliver()).isInstanceOfSatisfying(RetryLater.class,
				(attempt) -> assertThat(attempt.why().detail()).isEqualTo("the backend answered 500"));
	}

	@Test
	void isTriedAgainAfterABug() {
		try (HttpBackend backend = backend(this.server.getAddress().getPort(), Duration.ofSeconds(10))) {
			backend.connections().close();

			assertThat(backend.deliver(this.order)).isInstanceOfSatisfying(RetryLater.class, (attempt) -> {
				assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
				assertThat(attempt.why().reason()).isEqualTo("The delivery was interrupted.");
				assertThat(attempt.why().detail()).startsWith("the delivery failed with a bug: Connection pool");
			});
		}
	}

	private Attempt deliver() {
		return deliver(this.server.getAddress().getPort(), Duration.ofSeconds(10));
	}

	private void deliver(QueuedOrder order) {
		try (HttpBackend backend = backend(this.server.getAddress().getPort(), Duration.ofSeconds(10))) {
			backend.deliver(order);
		}
	}

	private Attempt deliver(int port, Duration responseTimeout) {
		return deliver(port, Duration.ofSeconds(5), responseTimeout);
	}

	private Attempt deliver(int port, Duration connectTimeout, Duration responseTimeout) {
		try (HttpBackend backend = backend(port, connectTimeout, responseTimeout)) {
			return backend.deliver(this.order);
		}
	}

	private static HttpBackend backend(int port, Duration responseTimeout) {
		return backend(port, Duration.ofSeconds(5), responseTimeout);
	}

	private static HttpBackend backend(int port, Duration connectTimeout, Duration responseTimeout) {
		BackendProperties properties = new BackendProperties(URI.create("http://127.0.0.1:" + port), connectTimeout,
				responseTimeout, Duration.ofSeconds(60),
				new BackendProperties.Circuit(Duration.ofSeconds(2), Duration.ofSeconds(2)));
		return new HttpBackend(properties, 1, InstantSource.fixed(NOW));
	}

}
