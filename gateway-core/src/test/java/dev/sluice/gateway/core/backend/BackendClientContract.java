package dev.sluice.gateway.core.backend;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.AnsweredOrder;
import dev.sluice.contract.FakeBackend;
import dev.sluice.contract.FakeBackend.Reply;
import dev.sluice.contract.Order;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How every gateway calls the backend, whether or not the caller waits. */
public abstract class BackendClientContract {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final String SAVED = "{\"id\":\"%s\",\"savedAt\":\"2026-11-21T10:00:00Z\"}".formatted(ID);

	private static final ValidOrder ORDER = new ValidOrder(ID, new Order("c", null, null),
			"{\"customerId\":\"c\"}".getBytes(StandardCharsets.UTF_8), null, "00-1-2-03");

	/** Longer than any test may take. */
	protected static final Duration PATIENCE = Patience.ofSeconds(60);

	protected static final Duration LIMIT = Duration.ofMillis(300);

	private FakeBackend server;

	private BackendPolicy policy;

	private Calls calls;

	@BeforeEach
	void startServer() throws IOException {
		this.server = new FakeBackend();
	}

	@AfterEach
	void stopServer() throws Exception {
		this.calls.close();
		this.server.close();
	}

	@Test
	void passesOnIdTraceContextAndOrder() {
		this.server.reply(Reply.of(201, SAVED));

		deliver(backend(10));

		assertThat(this.server.requests()).singleElement().satisfies((request) -> {
			assertThat(request).startsWith("POST /orders HTTP/1.1\r\n").endsWith("\r\n\r\n{\"customerId\":\"c\"}");
			assertThat(request).containsIgnoringCase("\r\nIdempotency-Key: \"" + ID + "\"\r\n")
				.containsIgnoringCase("\r\ntraceparent: 00-1-2-03\r\n")
				.containsIgnoringCase("\r\nContent-Type: application/json\r\n")
				.doesNotContainIgnoringCase("Upgrade:", "Accept-Encoding:");
		});
	}

	@Test
	void looksAnOrderUp() {
		Calls backend = backend(10);
		this.server.reply(Reply.of(404, "{}"));
		assertThat(find(backend, PATIENCE)).isEqualTo(new BackendResult.NotFound());
		this.server.reply(Reply.of(200, SAVED));
		assertThat(find(backend, PATIENCE)).isInstanceOf(BackendResult.Saved.class);

		assertThat(this.server.requests()).hasSize(2)
			.allSatisfy((request) -> assertThat(request).startsWith("GET /orders/" + ID + " HTTP/1.1\r\n"));
	}

	/** One would be too few: an answer arrives a moment before its connection is free. */
	@Test
	void keepsItsConnections() {
		this.server.reply(Reply.of(201, SAVED));
		Calls backend = backend(2);

		for (int i = 0; i < 20; i++) {
			assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
		}

		assertThat(this.server.connections()).isLessThanOrEqualTo(2);
	}

	@Test
	void readsAnAnswerBelowALongHead() {
		this.server.reply(Reply.savedBelowALongHead());

		assertThat(deliver(backend(10))).isInstanceOf(BackendResult.Saved.class);
	}

	static List<AnsweredOrder> answers() {
		return AnsweredOrder.all();
	}

	@ParameterizedTest
	@MethodSource("answers")
	void tellsWhatAnAnswerMeans(AnsweredOrder answer) {
		this.server.reply(answer.reply(ID, null));
		Instant before = Instant.now().minusSeconds(1);

		BackendResult result = deliver(backend(10));

		switch (answer.meaning()) {
			case "saved" -> assertThat(result)
				.isEqualTo(new BackendResult.Saved(new SavedOrder(ID, Instant.parse("2026-01-01T00:00:00Z"))));
			case "saved, our time" -> assertThat(result).isInstanceOfSatisfying(BackendResult.Saved.class,
					(saved) -> assertThat(saved.order().savedAt()).isBetween(before, Instant.now()));
			case "rejected" -> assertThat(result).isEqualTo(new BackendResult.Rejected(answer.status()));
			case "conflict" -> assertThat(result).isEqualTo(new BackendResult.Conflict());
			case "busy" -> assertThat(result).isEqualTo(new BackendResult.Busy(answer.status(), null));
			default -> {
				assertThat(result).isEqualTo(new BackendResult.Refused(answer.status()));
				assertThat(result.isFailure()).isTrue();
			}
		}
	}

	/** But its status stands. */
	@Test
	void readsNoAnswerWithoutBound() {
		String tooMuch = " ".repeat(1_000_000);
		Calls backend = backend(2);
		this.server.reply(Reply.of(201, SAVED + tooMuch));
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Refused(201));
		this.server.reply(Reply.of(422, tooMuch));
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Refused(422));
		this.server.reply(Reply.of(503, tooMuch));
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Busy(503, null));
		this.server.reply(Reply.of(201, SAVED));
		assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);

		assertThat(this.server.connections()).isLessThanOrEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 20, 99, 1_000 })
	void takesAStatusThatIsNoneForABrokenConnection(int status) {
		this.server.reply(Reply.of(status, SAVED));

		assertThat(deliver(backend(10))).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).hasSize(1);
	}

	@Test
	void endsAnExchangeThatHangsOrTrickles() {
		for (Reply reply : List.of(Reply.never(), Reply.trickle())) {
			this.server.reply(reply);
			assertThat(deliver(backend(10, LIMIT))).isEqualTo(new BackendResult.TimedOut(LIMIT));
		}
	}

	/** The limit may end an exchange before it has a connection or while connecting. */
	@Test
	void endsAnExchangeWhoseTimeIsOverBeforeItHasBegun() {
		this.server.reply(Reply.never());
		Calls backend = backend(10);

		for (int i = 0; i < 1_500; i++) {
			Duration limit = Duration.ofNanos(i % 300 * 5_000L);
			assertThat(find(backend, limit)).isEqualTo(new BackendResult.TimedOut(limit));
		}
	}

	/** As when the backend's time for idle connections is over at this moment. */
	@Test
	void sendsARequestOnceMoreWhoseKeptConnectionEnds() {
		Calls backend = backend(1);
		AtomicInteger requests = new AtomicInteger();
		this.server.reply((socket, request) -> {
			boolean ends = requests.incrementAndGet() % 2 == 0;
			(ends ? Reply.reset() : Reply.of(201, SAVED)).to(socket, request);
		});

		assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
		assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
		assertThat(requests).hasValue(3);

		// The backend may have saved it before the connection ended.
		this.server.reply((socket, request) -> {
			boolean ends = requests.incrementAndGet() % 2 == 0;
			(ends ? Reply.reset() : Reply.of(400, "")).to(socket, request);
		});
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Refused(400));
		assertThat(requests).hasValue(5);

		this.server.reply(Reply.reset());

		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).as("only once more").hasSize(7);
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).as("not on a new connection").hasSize(8);

		this.server.reply((socket, request) -> {
			socket.getOutputStream().write("HTTP/1.1 20".getBytes(StandardCharsets.US_ASCII));
			Reply.reset().to(socket, request);
		});
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).as("nor if the answer had begun").hasSize(9);
	}

	@ParameterizedTest
	@ValueSource(strings = { "HTTP/1.1 2x1 X", "HTTP/1.1 201 X\r\nX: LONG" })
	void doesNotSendARequestOnceMoreWhoseAnswerCannotBeRead(String head) {
		Calls backend = backend(1);
		this.server.reply(Reply.of(201, SAVED));
		assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
		byte[] bytes = (head.replace("LONG", "x".repeat(100_000)) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
		this.server.reply((socket, _) -> socket.getOutputStream().write(bytes));

		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).hasSize(2);
	}

	@Test
	void tellsThatThereIsNoConnection() {
		// Nothing listens there; a port that was just released may be in use again.
		Calls backend = backend(URI.create("http://127.0.0.1:1"), 10, PATIENCE, 1);

		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
	}

	@Test
	void refusesAtOnceWhatExceedsTheLimit() throws Exception {
		this.server.reply(Reply.never());
		Calls backend = backend(1);
		CompletableFuture<BackendResult> first = CompletableFuture.supplyAsync(() -> deliver(backend));
		await().until(() -> this.server.requests().size() == 1);

		BackendResult second = deliver(backend);

		assertThat(second).isEqualTo(BackendResult.FULL);
		this.server.close();
		assertThat(first.join()).isEqualTo(new BackendResult.Unreachable());
	}

	@Test
	void hasItsPlaceBackAfterEachKindOfEnd() {
		Calls backend = backend(1);
		this.server.reply(Reply.never());
		assertThat(find(backend, LIMIT)).isInstanceOf(BackendResult.TimedOut.class);
		this.server.reply(Reply.reset());
		assertThat(deliver(backend)).isInstanceOf(BackendResult.Unreachable.class);
		this.server.reply(Reply.of(500, ""));
		assertThat(deliver(backend)).isInstanceOf(BackendResult.Refused.class);
		this.server.reply(Reply.of(201, SAVED));

		assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
	}

	/** Includes calls that are given up before they have a connection, or just then. */
	@Test
	void hasTheConnectionBackOfACallThatIsGivenUp() {
		Calls backend = backend(1);
		for (int micros = 0; micros <= 3_000; micros += 500) {
			this.server.reply(Reply.never());
			assertThat(find(backend, Duration.ofNanos(micros * 1_000L))).isInstanceOf(BackendResult.TimedOut.class);
			this.server.reply(Reply.of(201, SAVED));
			assertThat(deliver(backend)).as("after %s µs", micros).isInstanceOf(BackendResult.Saved.class);
		}
	}

	@Test
	void leavesNoConnectionOpenThatItDoesNotKnow() {
		this.server.reply(Reply.of(404, "{}"));
		Calls backend = backend(16);
		try (ExecutorService callers = Executors.newFixedThreadPool(16)) {
			for (int i = 0; i < 8_000; i++) {
				Duration limit = Duration.ofNanos(i % 400 * 5_000L);
				callers.execute(() -> find(backend, limit));
			}
		}

		await().until(() -> this.server.open() <= 16);
	}

	@Test
	void leavesABackendAloneThatFails() {
		this.server.reply(Reply.of(500, ""));
		Calls backend = backend(10);
		for (int i = 0; i < 3; i++) {
			assertThat(deliver(backend)).isInstanceOf(BackendResult.Refused.class);
		}

		assertThat(failures()).isEqualTo(3);
		this.policy.circuit().transitionToForcedOpenState();
		assertThat(deliver(backend)).isEqualTo(BackendResult.CIRCUIT_OPEN);
		assertThat(this.server.requests()).hasSize(3);
	}

	@Test
	void triesAgainOnlyWhatFailedAndAsOftenAsAllowed() {
		this.server.reply(Reply.of(500, ""));
		Calls backend = backend(this.server.uri(), 10, PATIENCE, 3);
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Refused(500));
		assertThat(this.server.requests()).hasSize(3);

		this.server.reply(Reply.of(400, ""));
		assertThat(deliver(backend)).isEqualTo(new BackendResult.Rejected(400));
		assertThat(this.server.requests()).hasSize(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 429, 503 })
	void neitherBlamesNorAsksAgainABackendThatRefusesOrIsBusy(int status) {
		this.server.reply((socket, _) -> socket.getOutputStream()
			.write("HTTP/1.1 %s X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n".formatted(status)
				.getBytes(StandardCharsets.US_ASCII)));
		Calls backend = backend(this.server.uri(), 10, PATIENCE, 3);

		for (int i = 0; i < 10; i++) {
			assertThat(deliver(backend)).isEqualTo((status == 400) ? new BackendResult.Rejected(400)
					: new BackendResult.Busy(status, Duration.ofSeconds(7)));
		}
		assertThat(this.server.requests()).hasSize(10);
		assertThat(failures()).isZero();
	}

	/** The first attempt may have been accepted, whatever prevents the second one. */
	@Test
	void doesNotPromiseThatNothingWasTakenAfterAnAttemptThatFailed() {
		Calls backend = backend(this.server.uri(), 10, PATIENCE, 2);
		this.server.reply((socket, request) -> {
			this.policy.circuit().transitionToForcedOpenState();
			Reply.reset().to(socket, request);
		});

		assertThat(deliver(backend)).isEqualTo(new BackendResult.Unreachable());
		assertThat(this.server.requests()).hasSize(1);
	}

	@Test
	void takesNoAnswerForThatToTheNextOrder() {
		this.server.reply(Reply.savedAndOneMore());
		Calls backend = backend(10);

		for (int i = 0; i < 5; i++) {
			assertThat(deliver(backend)).isNotInstanceOf(BackendResult.Rejected.class);
		}
	}

	/** As from a body that is longer than its Content-Length. */
	@ParameterizedTest
	@ValueSource(strings = { "}", "HTTP/1.1 4" })
	void failsNoOrderForBytesLeftOverFromTheLastAnswer(String left) {
		byte[] answer = "HTTP/1.1 201 X\r\nContent-Length: %s\r\n\r\n%s%s".formatted(SAVED.length(), SAVED, left)
			.getBytes(StandardCharsets.US_ASCII);
		this.server.reply((socket, _) -> socket.getOutputStream().write(answer));
		Calls backend = backend(2);

		for (int i = 0; i < 5; i++) {
			assertThat(deliver(backend)).isInstanceOf(BackendResult.Saved.class);
		}
	}

	/** Number of calls that the circuit breaker counts as failures of the backend. */
	private int failures() {
		return this.policy.circuit().getMetrics().getNumberOfFailedCalls();
	}

	private Calls backend(int maxConcurrent) {
		return backend(maxConcurrent, PATIENCE);
	}

	/** A client of the server. */
	protected final Calls backend(int maxConcurrent, Duration limit) {
		return backend(this.server.uri(), maxConcurrent, limit, 1);
	}

	/** Its circuit breaker counts and does not open. */
	private Calls backend(URI uri, int maxConcurrent, Duration limit, int maxAttempts) {
		BackendProperties properties = new BackendProperties(uri, PATIENCE, limit, maxConcurrent, maxAttempts,
				Duration.ofSeconds(60));
		this.policy = new BackendPolicy(properties, Integer.MAX_VALUE, CircuitBreakerRegistry.ofDefaults(),
				new SimpleMeterRegistry());
		this.policy.circuit().transitionToMetricsOnlyState();
		Calls calls = connect(properties, this.policy);
		this.calls = calls;
		return calls;
	}

	/** A client with these limits. */
	protected abstract Calls connect(BackendProperties properties, BackendPolicy policy);

	private static BackendResult deliver(Calls backend) {
		return backend.deliver(ORDER);
	}

	protected static BackendResult find(Calls backend, Duration limit) {
		return backend.find(ID, limit);
	}

	/** The backend that the client calls. */
	protected final FakeBackend server() {
		return this.server;
	}

	/** The calls of a client; they wait for the result. */
	protected interface Calls {

		BackendResult deliver(ValidOrder order);

		BackendResult find(UUID id, Duration limit);

		/** Closes its connections. */
		void close() throws Exception;

	}

}
