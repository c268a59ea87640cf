package dev.sluice.consumer.backend;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

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
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The result of each answer of a backend. */
class HttpBackendTests {

	private static final Instant NOW = Instant.parse("2026-11-06T08:49:30Z");

	private static final String ANSWER = "{\"detail\":\"see http://10.0.0.7:8090, admin\"}";

	private final QueuedOrder order = new QueuedOrder(UUID.randomUUID(), "c-1", NOW, null,
			"{}".getBytes(StandardCharsets.UTF_8));

	private FakeBackend server;

	@BeforeEach
	void start() throws IOException {
		this.server = new FakeBackend();
	}

	@AfterEach
	void stop() throws IOException {
		this.server.close();
	}

	@Test
	void sendsTheOrderUnderItsIdWithinItsTrace() {
		String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
		UUID id = this.order.id();
		byte[] body = "{\"sku\":1}".getBytes(StandardCharsets.UTF_8);
		try (HttpBackend backend = backend(this.server.uri().getPort(), Duration.ofSeconds(10))) {
			backend.deliver(new QueuedOrder(id, "c-1", NOW, trace, body));
			backend.deliver(this.order);
		}

		assertThat(this.server.requests().getFirst()).startsWith("POST /orders HTTP/1.1\r\n")
			.contains("\r\nIdempotency-Key: \"" + id + "\"\r\n")
			.contains("\r\nContent-Type: application/json")
			.contains("\r\ntraceparent: " + trace + "\r\n")
			.endsWith("\r\n\r\n{\"sku\":1}");
		assertThat(this.server.requests().getLast()).doesNotContain("traceparent");
	}

	static List<AnsweredOrder> answers() {
		return AnsweredOrder.all();
	}

	@ParameterizedTest
	@MethodSource("answers")
	void meansTheSameAsAtAGateway(AnsweredOrder answer) {
		Attempt attempt = deliver(answer.reply(this.order.id(), null));

		String text = new String(answer.body(this.order.id()), StandardCharsets.UTF_8);
		String detail = "the backend answered " + answer.status() + (text.isEmpty() ? "" : ": " + text);
		switch (answer.meaning()) {
			case "saved" -> assertThat(attempt).isEqualTo(new Saved(Instant.parse("2026-01-01T00:00:00Z")));
			case "saved, our time" -> assertThat(attempt).isEqualTo(new Saved(null));
			case "rejected" -> assertThat(attempt).isEqualTo(new Rejected(new FailureReason(
					"The backend refused the order (status %s).".formatted(answer.status()), detail)));
			case "conflict" -> assertThat(attempt)
				.isEqualTo(new Conflict(new FailureReason("Another order was accepted under this id before.", detail)));
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

	@ParameterizedTest
	@MethodSource("answers")
	void findsAnOrderByTheSameRule(AnsweredOrder answer) {
		UUID id = this.order.id();
		this.server.reply(answer.reply(id, null));
		try (HttpBackend backend = backend(this.server.uri().getPort(), Duration.ofSeconds(10))) {
			assertThat(backend.find(id)).isEqualTo(switch (answer.meaning()) {
				case "saved" -> new Saved(Instant.parse("2026-01-01T00:00:00Z"));
				case "saved, our time" -> new Saved(null);
				default -> null;
			});
			assertThat(this.server.requests()).singleElement()
				.asString()
				.startsWith("GET /orders/" + id + " HTTP/1.1\r\n");
		}
	}

	@Test
	void findsNothingWhereNobodyAnswersInTime() {
		this.server.reply(Reply.never());
		try (HttpBackend nobody = backend(1, Duration.ofSeconds(10));
				HttpBackend silent = backend(this.server.uri().getPort(), Duration.ofMillis(50))) {
			assertThat(nobody.find(this.order.id())).isNull();
			assertThat(silent.find(this.order.id())).isNull();
		}
	}

	@Test
	void isTriedAgainAfterAnAnswerThatIsLongerThanItsBound() {
		String body = "{\"id\":\"%s\"}".formatted(this.order.id()) + " ".repeat(64 * 1024);

		assertThat(deliver(Reply.of(201, body))).isInstanceOf(RetryLater.class);
		assertThat(deliver(Reply.of(422, body))).isInstanceOf(RetryLater.class);
	}

	@Test
	void takesNoAnswerForThatToTheNextOrder() {
		this.server.reply(Reply.savedAndOneMore());
		try (HttpBackend backend = backend(this.server.uri().getPort(), Duration.ofSeconds(10))) {
			for (int i = 0; i < 5; i++) {
				assertThat(backend.deliver(this.order)).isNotInstanceOf(Rejected.class);
			}
		}
	}

	@Test
	void readsAnAnswerBelowALongHead() {
		assertThat(deliver(Reply.savedBelowALongHead())).isInstanceOf(Saved.class);
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
		assertThat(deliver(answer(status, retryAfter)))
			.isEqualTo(new Throttled(new FailureReason("The backend takes no more orders at the moment.",
					"the backend answered %s: %s".formatted(status, ANSWER)), expected));
	}

	@Test
	void aFailureWithARetryAfterThatCannotBeReadIsAFailure() {
		assertThat(deliver(answer(503, "soon"))).isInstanceOf(RetryLater.class);
	}

	@Test
	void isNotReachedWhereNobodyListens() {
		assertThat(deliver(1, Duration.ofSeconds(5), Duration.ofSeconds(10))).isInstanceOfSatisfying(RetryLater.class,
				(attempt) -> {
					assertThat(attempt.reach()).isEqualTo(Reach.NOT_REACHED);
					assertThat(attempt.why().reason()).isEqualTo("The backend could not be reached.");
					assertThat(attempt.why().detail()).contains("127.0.0.1");
				});
	}

	@ParameterizedTest
	@MethodSource
	void saysWhyThereWasNoAnswer(Reply reply, Duration timeout, String reason) {
		this.server.reply(reply);

		assertThat(deliver(this.server.uri().getPort(), timeout, timeout)).isInstanceOfSatisfying(RetryLater.class,
				(attempt) -> {
					assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
					assertThat(attempt.why().reason()).isEqualTo(reason);
				});
	}

	static Stream<Arguments> saysWhyThereWasNoAnswer() {
		Reply closes = (socket, _) -> socket.close();
		// Between two of its lines, before the one that would say how long the body is.
		Reply closesWithinAHead = (socket, _) -> {
			socket.getOutputStream().write("HTTP/1.1 422 X\r\nA: b\r\n".getBytes(StandardCharsets.US_ASCII));
			socket.close();
		};
		return Stream.of(arguments(Reply.never(), Duration.ofMillis(50), "The backend did not answer within 50 ms."),
				// No single byte is late.
				arguments(Reply.trickle(), Duration.ofMillis(100), "The backend did not answer within 100 ms."),
				arguments(closes, Duration.ofSeconds(10), "The connection to the backend was lost."),
				arguments(closesWithinAHead, Duration.ofSeconds(10), "The connection to the backend was lost."));
	}

	@Test
	void saysTheBeginningOfAnAnswerInOneLine() {
		assertThat(deliver(Reply.of(500, " a\r\n\tb\0c " + "x".repeat(300)))).isInstanceOfSatisfying(RetryLater.class,
				(attempt) -> assertThat(attempt.why().detail())
					.isEqualTo("the backend answered 500: a b c " + "x".repeat(194)));
		assertThat(deliver(Reply.of(500, ""))).isInstanceOfSatisfying(RetryLater.class,
				(attempt) -> assertThat(attempt.why().detail()).isEqualTo("the backend answered 500"));
	}

	@Test
	void isTriedAgainAfterABug() {
		try (HttpBackend backend = backend(this.server.uri().getPort(), Duration.ofSeconds(10))) {
			backend.connections().close();

			assertThat(backend.deliver(this.order)).isInstanceOfSatisfying(RetryLater.class, (attempt) -> {
				assertThat(attempt.reach()).isEqualTo(Reach.UNANSWERED);
				assertThat(attempt.why().reason()).isEqualTo("The delivery was interrupted.");
				assertThat(attempt.why().detail()).startsWith("the delivery failed with a bug: Connection pool");
			});
		}
	}

	private static Reply answer(int status, @Nullable String retryAfter) {
		return new AnsweredOrder("", List.of(status), "application/json", ANSWER, "").reply(UUID.randomUUID(),
				retryAfter);
	}

	private Attempt deliver(Reply reply) {
		this.server.reply(reply);
		return deliver(this.server.uri().getPort(), Duration.ofSeconds(5), Duration.ofSeconds(10));
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
