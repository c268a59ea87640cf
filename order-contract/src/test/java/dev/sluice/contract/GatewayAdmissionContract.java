package dev.sluice.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Which requests every gateway admits: at most {@link #MAX_IN_PROGRESS} at once, and none
 * while it stops. It finishes admitted requests. Needs no servers except a fake backend.
 */
@ResourceLock(GatewayEdgeContract.JVM)
public abstract class GatewayAdmissionContract {

	private static final int MAX_IN_PROGRESS = 2;

	private static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	private static final String SAVED = "{\"id\":\"%s\",\"savedAt\":\"2026-11-21T11:00:00Z\"}"
		.formatted(UUID.randomUUID());

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final CountDownLatch backendAnswers = new CountDownLatch(1);

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	private FakeBackend backend;

	private URI gateway;

	/**
	 * Starts a gateway without Kafka and PostgreSQL on free ports.
	 * @param properties properties in addition to its defaults
	 * @return its address
	 */
	protected abstract URI start(Map<String, String> properties);

	/** Whether {@code sluice.max-scheduling-delay} applies to its threads. */
	protected abstract boolean limitsSchedulingDelay();

	/** The address of its health. */
	protected abstract URI management();

	/** Stops it, as SIGTERM does; returns when it has stopped. */
	protected abstract void stop();

	@BeforeEach
	void startGateway() throws IOException {
		this.backend = new FakeBackend();
		FakeBackend.Reply saved = FakeBackend.Reply.of(201, SAVED);
		this.backend.reply((socket) -> {
			if (this.backendAnswers.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				saved.to(socket);
			}
		});
		// A body may take as long as a busy machine does.
		this.gateway = start(Map.of("backend.url", this.backend.uri().toString(), "sluice.max-in-progress",
				String.valueOf(MAX_IN_PROGRESS), "sluice.body-timeout", "10m", "sluice.min-body-rate", "0B"));
	}

	@AfterEach
	void close() throws IOException {
		this.backendAnswers.countDown();
		stop();
		this.client.close();
		this.backend.close();
	}

	@Test
	void endsWhatItHasBegunAndBeginsNothingMore() throws Exception {
		try (Kept kept = new Kept(this.gateway)) {
			assertThat(kept.send("GET /nothing", "").status()).isEqualTo(404);
			CompletableFuture<HttpResponse<String>> slow = place();
			await().atMost(PATIENCE).until(() -> this.backend.requests().size() == 1);

			CompletableFuture<Void> stopped = CompletableFuture.runAsync(this::stop);
			await().atMost(PATIENCE).untilAsserted(() -> assertShuttingDown(get("/orders/1")));

			assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(503);
			Answer refused = kept.send("POST /orders", ORDER);
			assertThat(refused.status()).isEqualTo(503);
			assertThat(metrics()).contains("sluice_requests_refused_total{reason=\"shutting-down\"}")
				.doesNotContain("sluice_requests_refused_total{reason=\"shutting-down\"} 0.0");
			assertThat(refused.headers()).contains("connection: close", "retry-after: 1",
					"content-type: application/problem+json");
			assertThat(JsonPath.<String>read(refused.body(), "$.type")).isEqualTo("urn:sluice:problem:shutting-down");
			assertThat(JsonPath.<String>read(refused.body(), "$.placed")).isEqualTo("no");
			assertThat(kept.isClosed()).isTrue();
			assertThat(stopped).isNotDone();
			assertThat(slow).isNotDone();

			this.backendAnswers.countDown();

			assertThat(slow).succeedsWithin(PATIENCE).extracting(HttpResponse::statusCode).isEqualTo(201);
			assertThat(stopped).succeedsWithin(PATIENCE);
			assertThat(this.backend.requests()).hasSize(1);
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> get("/orders/1"));
		}
	}

	private static void assertShuttingDown(HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(503);
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:shutting-down");
	}

	@Test
	void refusesWhatIsMoreThanMayBeInProgress() throws Exception {
		try (Kept kept = new Kept(this.gateway)) {
			List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
			while (slow.size() < MAX_IN_PROGRESS) {
				slow.add(place());
			}
			await().atMost(PATIENCE).until(() -> this.backend.requests().size() == MAX_IN_PROGRESS);

			Answer refused = kept.send("POST /orders", ORDER);
			assertThat(refused.status()).isEqualTo(503);
			assertThat(refused.headers()).contains("retry-after: 1", "content-type: application/problem+json");
			assertThat(JsonPath.<String>read(refused.body(), "$.type")).isEqualTo("urn:sluice:problem:overloaded");
			assertThat(JsonPath.<String>read(refused.body(), "$.placed")).isEqualTo("no");
			assertThat(get("/openapi.json").statusCode()).isEqualTo(503);
			assertThat(manage("/actuator/health/liveness").statusCode()).isEqualTo(200);
			// These requests, whatever they ask for.
			assertThat(metrics()).contains("sluice_requests_refused_total{reason=\"overloaded\"} 2.0");

			this.backendAnswers.countDown();

			assertThat(slow).allSatisfy((answer) -> assertThat(answer).succeedsWithin(PATIENCE)
				.extracting(HttpResponse::statusCode)
				.isEqualTo(201));
			// A request may give up its place a moment after its client has the answer.
			await().atMost(PATIENCE).until(() -> place().join().statusCode() == 201);
		}
	}

	/** That requests are refused when it is too long, is tested without real threads. */
	@Test
	void measuresHowLongTasksWaitForItsThreads() throws Exception {
		if (limitsSchedulingDelay()) {
			await().atMost(PATIENCE).until(() -> !metrics().contains("sluice_scheduling_delay 0.0"));
		}
		else {
			assertThat(metrics()).contains("sluice_scheduling_delay 0.0");
		}
		assertThat(metrics()).contains("sluice_scheduling_delay ");
	}

	@Test
	void finishesAnOrderWhoseBodyArrivesWhileItStops() throws Exception {
		try (RawClient slow = receiving()) {
			CompletableFuture<Void> stopped = CompletableFuture.runAsync(this::stop);
			await().atMost(PATIENCE).untilAsserted(() -> assertShuttingDown(get("/orders/1")));
			slow.send(ORDER);
			await().atMost(PATIENCE).until(() -> this.backend.requests().size() == 1);

			assertThat(stopped).isNotDone();

			this.backendAnswers.countDown();
			assertThat(slow.answer().status()).isEqualTo(201);
			assertThat(stopped).succeedsWithin(PATIENCE);
		}
	}

	@Test
	void refusesAnOrderWhoseBodyArrivesWhenTooManyAreInProgress() throws Exception {
		try (RawClient late = receiving()) {
			List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
			while (slow.size() < MAX_IN_PROGRESS) {
				slow.add(place());
			}
			await().atMost(PATIENCE).until(() -> this.backend.requests().size() == MAX_IN_PROGRESS);

			RawClient.Answer refused = late.send(ORDER).answer();

			assertThat(refused.status()).isEqualTo(503);
			assertThat(JsonPath.<String>read(refused.body(), "$.type")).isEqualTo("urn:sluice:problem:overloaded");
			assertThat(JsonPath.<String>read(refused.body(), "$.placed")).isEqualTo("no");
			assertThat(metrics()).contains("sluice_requests_refused_total{reason=\"overloaded\"} 1.0")
				.contains("sluice_orders_total{mode=\"sync\",outcome=\"overloaded\"} 1.0");
			this.backendAnswers.countDown();
			assertThat(slow).allSatisfy((answer) -> assertThat(answer).succeedsWithin(PATIENCE));
		}
	}

	/** An order whose body the gateway waits for. */
	private RawClient receiving() throws Exception {
		RawClient client = RawClient.connect(this.gateway, PATIENCE);
		client.send("POST /orders HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n"
				+ "Expect: 100-continue\r\nContent-Length: %d\r\n\r\n".formatted(ORDER.length()));
		client.awaitContinue();
		await().atMost(PATIENCE)
			.until(() -> metrics().contains("sluice_requests_receiving 1.0")
					&& metrics().contains("sluice_requests_in_progress 0.0"));
		return client;
	}

	private String metrics() throws IOException, InterruptedException {
		return manage("/actuator/prometheus").body();
	}

	private CompletableFuture<HttpResponse<String>> place() {
		return this.client.sendAsync(request("/orders").header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(ORDER))
			.build(), BodyHandlers.ofString());
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = request(path).build();
		return DescribedApi.instance().checked(request, this.client.send(request, BodyHandlers.ofString()));
	}

	private HttpResponse<String> manage(String path) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(management().resolve(path)).timeout(PATIENCE).build(),
				BodyHandlers.ofString());
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(this.gateway.resolve(path)).timeout(PATIENCE);
	}

	private record Answer(int status, List<String> headers, String body) {
	}

	/** A keep-alive connection, without a client that would hide its end. */
	private static final class Kept implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader in;

		Kept(URI gateway) throws IOException {
			this.socket = new Socket(gateway.getHost(), gateway.getPort());
			this.socket.setSoTimeout((int) PATIENCE.toMillis());
			this.in = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.US_ASCII));
		}

		Answer send(String request, String body) throws IOException {
			String message = "%s HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
				.formatted(request, body.length(), body);
			this.socket.getOutputStream().write(message.getBytes(StandardCharsets.US_ASCII));
			int status = Integer.parseInt(this.in.readLine().split(" ")[1]);
			List<String> headers = new ArrayList<>();
			for (String line = this.in.readLine(); !line.isEmpty(); line = this.in.readLine()) {
				headers.add(line.toLowerCase(Locale.ROOT));
			}
			return new Answer(status, headers, body(headers));
		}

		private String body(List<String> headers) throws IOException {
			if (headers.contains("transfer-encoding: chunked")) {
				StringBuilder body = new StringBuilder();
				for (int size = chunk(); size > 0; size = chunk()) {
					body.append(read(size));
					this.in.readLine();
				}
				this.in.readLine();
				return body.toString();
			}
			for (String header : headers) {
				if (header.startsWith("content-length: ")) {
					return read(Integer.parseInt(header.substring("content-length: ".length())));
				}
			}
			// It ends with the connection.
			return this.in.readAllAsString();
		}

		private int chunk() throws IOException {
			return Integer.parseInt(this.in.readLine(), 16);
		}

		private String read(int length) throws IOException {
			char[] text = new char[length];
			int read = 0;
			while (read < length) {
				int more = this.in.read(text, read, length - read);
				assertThat(more).isPositive();
				read += more;
			}
			return new String(text);
		}

		boolean isClosed() throws IOException {
			return this.in.read() < 0;
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
