package dev.sluice.contract;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.contract.RawClient.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.ResourceLock;

import static dev.sluice.contract.RunningGateway.ORDER;
import static dev.sluice.contract.RunningGateway.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Which requests every gateway admits: at most {@link #MAX_IN_PROGRESS} at once, and none
 * while it stops. It finishes admitted requests. Needs no servers except a fake backend.
 * The tests share a gateway until one stops it, so that one is the last.
 */
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
@ResourceLock(GatewayEdgeContract.JVM)
public abstract class GatewayAdmissionContract extends StartedGateway {

	private static final int MAX_IN_PROGRESS = 2;

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	private FakeBackend backend;

	/** The backend answers the requests of a test once the test lets it. */
	private volatile CountDownLatch backendAnswers = new CountDownLatch(0);

	/** Requests at the backend before the test. */
	private int earlier;

	/** The running gateway; null if there is none. */
	private URI gateway;

	/** The stop of the gateway; null if it has not begun. */
	private CompletableFuture<Void> stopped;

	/** Whether {@code sluice.max-scheduling-delay} applies to its threads. */
	protected abstract boolean limitsSchedulingDelay();

	@BeforeAll
	void startBackend() throws IOException {
		this.backend = new FakeBackend();
		this.backend.reply(this::save);
	}

	private void save(Socket socket, String request) throws IOException, InterruptedException {
		this.backendAnswers.await();
		FakeBackend.Reply.saved().to(socket, request);
	}

	@BeforeEach
	void startGateway() {
		if (this.gateway == null) {
			Map<String, String> properties = NoHurry.properties();
			properties.put("backend.url", this.backend.uri().toString());
			properties.put("sluice.max-in-progress", String.valueOf(MAX_IN_PROGRESS));
			properties.put("backend.max-concurrent", String.valueOf(MAX_IN_PROGRESS));
			properties.put("spring.lifecycle.timeout-per-shutdown-phase", "10m");
			this.gateway = start(properties);
		}
		this.backendAnswers = new CountDownLatch(1);
		this.earlier = this.backend.requests().size();
	}

	@AfterEach
	void endRequests() throws Exception {
		this.backendAnswers.countDown();
		if (this.stopped != null) {
			this.stopped.get();
			this.stopped = null;
			this.gateway = null;
		}
		else if (this.gateway != null) {
			// A request may give up its place a moment after its client has the answer.
			await().until(() -> metrics().contains("sluice_requests_in_progress 0.0"));
		}
	}

	@AfterAll
	void close() throws IOException {
		if (this.gateway != null) {
			stop();
		}
		this.client.close();
		if (this.backend != null) {
			this.backend.close();
		}
	}

	private void beginStop() {
		this.stopped = CompletableFuture.runAsync(this::stop);
	}

	/** Requests of the test that are at the backend. */
	private int received() {
		return this.backend.requests().size() - this.earlier;
	}

	@Test
	@org.junit.jupiter.api.Order(Integer.MAX_VALUE)
	void endsWhatItHasBegunAndBeginsNothingMore() throws Exception {
		try (RawClient kept = RawClient.connect(this.gateway, PATIENCE); RawClient late = receiving()) {
			assertThat(exchange(kept, "GET /nothing", "").status()).isEqualTo(404);
			double before = value("sluice_requests_refused_total{reason=\"shutting-down\"}");
			CompletableFuture<HttpResponse<String>> slow = place();
			await().until(() -> received() == 1);

			beginStop();
			await().untilAsserted(() -> assertShuttingDown(get("/orders/1")));

			assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(503);
			Answer refused = exchange(kept, "POST /orders", ORDER);
			assertNotPlaced(refused, "shutting-down");
			assertThat(refused.headers()).contains("connection: close");
			assertThat(value("sluice_requests_refused_total{reason=\"shutting-down\"}")).isGreaterThan(before);
			assertThat(kept.isClosed()).isTrue();
			// A body that arrives while it stops.
			late.send(ORDER);
			await().until(() -> received() == 2);
			assertThat(this.stopped).isNotDone();
			assertThat(slow).isNotDone();

			this.backendAnswers.countDown();

			assertThat(slow).succeedsWithin(PATIENCE).extracting(HttpResponse::statusCode).isEqualTo(201);
			assertThat(late.answer().status()).isEqualTo(201);
			assertThat(this.stopped).succeedsWithin(PATIENCE);
			assertThat(received()).isEqualTo(2);
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> get("/orders/1"));
		}
	}

	private static void assertNotPlaced(Answer refused, String type) {
		refused.assertProblem(503, type);
		assertThat(refused.headers()).contains("retry-after: 1");
		assertThat(refused.member("placed")).isEqualTo("no");
	}

	private static void assertShuttingDown(HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(503);
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:shutting-down");
	}

	@Test
	void refusesWhatIsMoreThanMayBeInProgress() throws Exception {
		double before = value("sluice_requests_refused_total{reason=\"overloaded\"}");
		try (RawClient kept = RawClient.connect(this.gateway, PATIENCE)) {
			List<CompletableFuture<HttpResponse<String>>> slow = placeAsManyAsMayBeInProgress();

			Answer refused = exchange(kept, "POST /orders", ORDER);
			assertNotPlaced(refused, "overloaded");
			assertThat(refused.headers()).doesNotContain("connection: close");
			assertThat(refused.member("instance")).isEqualTo("/orders");
			assertThat(get("/openapi.json").statusCode()).isEqualTo(503);
			assertThat(manage("/actuator/health/liveness").statusCode()).isEqualTo(200);
			// These requests, whatever they ask for.
			assertThat(value("sluice_requests_refused_total{reason=\"overloaded\"}") - before).isEqualTo(2);

			this.backendAnswers.countDown();

			assertThat(slow).allSatisfy((answer) -> assertThat(answer).succeedsWithin(PATIENCE)
				.extracting(HttpResponse::statusCode)
				.isEqualTo(201));
			// A request may give up its place a moment after its client has the answer.
			await().until(() -> exchange(kept, "POST /orders", ORDER).status() == 201);
		}
	}

	/** That requests are refused when it is too long, is tested without real threads. */
	@Test
	void measuresHowLongTasksWaitForItsThreads() throws Exception {
		if (limitsSchedulingDelay()) {
			await().until(() -> !metrics().contains("sluice_scheduling_delay 0.0"));
		}
		else {
			assertThat(metrics()).contains("sluice_scheduling_delay 0.0");
		}
		assertThat(metrics()).contains("sluice_scheduling_delay ");
	}

	@Test
	void refusesAnOrderWhoseBodyArrivesWhenTooManyAreInProgress() throws Exception {
		String requests = "sluice_requests_refused_total{reason=\"overloaded\"}";
		double requestsBefore = value(requests);
		try (RawClient late = receiving()) {
			List<CompletableFuture<HttpResponse<String>>> slow = placeAsManyAsMayBeInProgress();

			Answer refused = late.send(ORDER).answer();

			assertNotPlaced(refused, "overloaded");
			assertThat(value(requests) - requestsBefore).isEqualTo(1);
			this.backendAnswers.countDown();
			assertThat(slow).allSatisfy((answer) -> assertThat(answer).succeedsWithin(PATIENCE));
			await().until(() -> exchange(late, "POST /orders", ORDER).status() == 201);
		}
	}

	@Test
	void refusesASyncOrderByItsHeadWhileTheBackendTakesNoMore() throws Exception {
		String orders = "sluice_orders_total{mode=\"sync\",outcome=\"overloaded\"}";
		try (RawClient kept = RawClient.connect(this.gateway, PATIENCE)) {
			this.backend.reply(FakeBackend.Reply.of(503, "{}"));
			assertThat(exchange(kept, "POST /orders", ORDER).status()).isEqualTo(503);
			this.backend.reply(this::save);
			await().until(() -> value("sluice_backend_calls_limit") == 1);
			CompletableFuture<HttpResponse<String>> slow = place();
			await().until(() -> received() == 2);
			double before = value(orders);

			await().until(() -> metrics().contains("sluice_requests_in_progress 1.0"));
			Answer refused = exchange(kept, "POST /orders", "no order");

			assertNotPlaced(refused, "overloaded");
			assertThat(refused.headers()).doesNotContain("connection: close");
			assertThat(value(orders) - before).isEqualTo(1);
			// Only the backend has the first answer to one with a key.
			assertThat(statusOf("Idempotency-Key: \"k-1\"", "no order")).isEqualTo(503);
			// One that may be queued is read.
			assertThat(statusOf("Prefer: respond-async", "no order")).isEqualTo(400);
			assertThat(statusOf("Prefer: wait=1", ORDER)).isEqualTo(503);

			this.backendAnswers.countDown();

			assertThat(slow).succeedsWithin(PATIENCE).extracting(HttpResponse::statusCode).isEqualTo(201);
			await().until(() -> exchange(kept, "POST /orders", ORDER).status() == 201);
		}
	}

	/** The status of an order's answer, beside one order in progress. */
	private int statusOf(String field, String order) throws IOException {
		// A request may give up its place a moment after its client has the answer.
		await().until(() -> metrics().contains("sluice_requests_in_progress 1.0"));
		try (RawClient client = RawClient.connect(this.gateway, PATIENCE)) {
			return exchange(client, "POST /orders", field + "\r\n", order).status();
		}
	}

	private List<CompletableFuture<HttpResponse<String>>> placeAsManyAsMayBeInProgress() {
		List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
		while (slow.size() < MAX_IN_PROGRESS) {
			slow.add(place());
		}
		await().until(() -> received() == MAX_IN_PROGRESS);
		return slow;
	}

	private static Answer exchange(RawClient client, String request, String body) throws IOException {
		return exchange(client, request, "", body);
	}

	private static Answer exchange(RawClient client, String request, String fields, String body) throws IOException {
		return client
			.send("%s HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n%sContent-Length: %s\r\n\r\n%s"
				.formatted(request, fields, body.length(), body))
			.answer();
	}

	/** An order whose body the gateway waits for, while nothing is in progress. */
	private RawClient receiving() throws Exception {
		RawClient client = RawClient.connect(this.gateway, PATIENCE);
		client.send("POST /orders HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n"
				+ "Expect: 100-continue\r\nContent-Length: %s\r\n\r\n".formatted(ORDER.length()));
		client.awaitContinue();
		await().until(() -> metrics().contains("sluice_requests_receiving 1.0")
				&& metrics().contains("sluice_requests_in_progress 0.0"));
		return client;
	}

	private double value(String metric) throws IOException, InterruptedException {
		return RunningGateway.metric(metrics(), metric);
	}

	private String metrics() throws IOException, InterruptedException {
		return manage("/actuator/prometheus").body();
	}

	private CompletableFuture<HttpResponse<String>> place() {
		return this.client.sendAsync(RunningGateway.order(this.gateway, BodyPublishers.ofString(ORDER)).build(),
				BodyHandlers.ofString());
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(this.gateway.resolve(path)).timeout(PATIENCE).build();
		return DescribedApi.instance().checked(request, this.client.send(request, BodyHandlers.ofString()));
	}

	private HttpResponse<String> manage(String path) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(management().resolve(path)).timeout(PATIENCE).build(),
				BodyHandlers.ofString());
	}

}
