package dev.sluice.lab.kit.client;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.IntFunction;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class OpenClientTests {

	private final ThreadPoolExecutor pool = Caller.pool(2);

	private static final Duration LONG = Patience.ofSeconds(60);

	private static final Duration SHORT = Duration.ofMillis(500);

	private final CountDownLatch release = new CountDownLatch(1);

	private final List<Second> seconds = new CopyOnWriteArrayList<>();

	@RegisterExtension
	private final StubServer server = new StubServer();

	@BeforeEach
	void start() {
		this.server.on("/well", 200, null).on("/full", 503, null).on("/held", (exchange) -> {
			try {
				this.release.await();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			StubServer.answer(exchange, 200, null);
		});
	}

	@AfterEach
	void release() {
		this.release.countDown();
	}

	@ParameterizedTest
	@EnumSource
	void sendsEveryRequestThatIsDueAndTakesItsAnswer(CallMode mode) throws Exception {
		Figures figures = run(mode, new OpenLoad(200, SHORT, LONG, 1_000), "/well");

		assertThat(figures.tally()).isEqualTo(new Tally(100, 100, 0, 100, 0, Map.of()));
	}

	@ParameterizedTest
	@EnumSource
	void sendsByTheClockAlthoughNobodyAnswers(CallMode mode) throws Exception {
		Figures figures = run(mode, new OpenLoad(200, SHORT, Duration.ZERO, 1_000), "/held");

		assertThat(figures.tally()).isEqualTo(new Tally(100, 100, 0, 0, 100, Map.of()));
		assertThat(figures.latency()).isNull();
	}

	@Test
	void countsAsNotSentWhatIsDueWhileTooManyAreOutstanding() throws Exception {
		Figures figures = run(CallMode.ASYNC, new OpenLoad(200, SHORT, Duration.ZERO, 30), "/held");

		// A machine that stands still may end a request, and another one takes its place.
		assertThat(figures.tally().sent()).isGreaterThanOrEqualTo(30);
		assertThat(figures.tally().notSent()).isPositive().isEqualTo(100 - figures.tally().sent());
	}

	@Test
	void latencyCountsFromTheTimeARequestWasDue() throws Exception {
		Duration second = Duration.ofSeconds(1);
		try (Caller client = new Caller(CallMode.ASYNC, null, null)) {
			// The first second's requests are all answered at its end.
			Figures figures = OpenClient.run(new OpenLoad(100, second, LONG, 1_000), client.sending(request("/held")),
					(_) -> this.release.countDown());

			assertThat(figures.tally().answered()).isEqualTo(100);
			assertThat(figures.latency()).isNotNull();
			assertThat(figures.latency().max() - figures.latency().min()).isGreaterThan(500);
		}
	}

	@ParameterizedTest
	@EnumSource
	void anErrorsStatusIsAnAnswerAndAFailure(CallMode mode) throws Exception {
		Figures figures = run(mode, new OpenLoad(50, SHORT, LONG, 1_000), "/full");

		assertThat(figures.tally()).isEqualTo(new Tally(25, 25, 0, 25, 0, Map.of("HTTP 503", 25L)));
	}

	@ParameterizedTest
	@EnumSource
	void whomNobodyAnswersHasFailedAndIsNotOutstanding(CallMode mode) throws Exception {
		URI nobody = URI.create("http://127.0.0.1:1");
		try (Caller client = new Caller(mode, 4, null)) {
			Figures figures = OpenClient.run(new OpenLoad(50, SHORT, LONG, 1_000),
					client.sending((_) -> HttpRequest.newBuilder(nobody).build()), this.seconds::add);

			assertThat(figures.tally()).isEqualTo(new Tally(25, 25, 0, 0, 0, Map.of("no connection", 25L)));
		}
	}

	@Test
	void tellsEachSecond() throws Exception {
		run(CallMode.ASYNC, new OpenLoad(50, Duration.ofSeconds(2), LONG, 1_000), "/well");

		assertThat(this.seconds).hasSizeGreaterThanOrEqualTo(2);
		Second last = this.seconds.getLast();
		assertThat(this.seconds.stream().mapToLong(Second::sentNow).sum()).isEqualTo(last.sent());
		assertThat(this.seconds.stream().mapToLong(Second::answeredNow).sum()).isEqualTo(last.answered());
		assertThat(this.seconds).allSatisfy((second) -> assertThat(second.threads()).isPositive());
	}

	private Figures run(CallMode mode, OpenLoad load, String path) throws InterruptedException {
		try (Caller client = new Caller(mode, 4, null)) {
			return OpenClient.run(load, client.sending(request(path)), this.seconds::add);
		}
	}

	private IntFunction<HttpRequest> request(String path) {
		HttpRequest request = HttpRequest.newBuilder(this.server.uri(path)).build();
		return (_) -> request;
	}

	@AfterEach
	void stop() {
		this.pool.shutdownNow();
	}

	@Test
	void aPoolGrowsByOneThreadWhileTasksWaitAndOnlyThen() {
		this.pool.execute(OpenClientTests::block);
		this.pool.execute(OpenClientTests::block);
		Caller.grow(this.pool);
		assertThat(this.pool.getPoolSize()).isEqualTo(2);

		for (int i = 0; i < 8; i++) {
			this.pool.execute(OpenClientTests::block);
		}
		Caller.grow(this.pool);
		Caller.grow(this.pool);

		assertThat(this.pool.getPoolSize()).isEqualTo(4);
	}

	private static void block() {
		try {
			Thread.sleep(Duration.ofHours(1));
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
