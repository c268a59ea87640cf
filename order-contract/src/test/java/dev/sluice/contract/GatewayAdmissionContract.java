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

	/** The gateway's {@code sluice.max-in-progress}. */
	protected static final int MAX_IN_PROGRESS = 2;

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
	 * Starts a gateway without Kafka and PostgreSQL that may have
	 * {@link #MAX_IN_PROGRESS} requests in progress.
	 * @return its address
	 */
	protected abstract URI start(URI backend);

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
		this.gateway = start(this.backend.uri());
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

			assertThat(manage("readiness").statusCode()).isEqualTo(503);
			Answer refused = kept.send("POST /orders", ORDER);
			assertThat(refused.status()).isEqualTo(503);
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
			assertThat(manage("liveness").statusCode()).isEqualTo(200);

			this.backendAnswers.countDown();

			assertThat(slow).allSatisfy((answer) -> assertThat(answer).succeedsWithin(PATIENCE)
				.extracting(HttpResponse::statusCode)
				.isEqualTo(201));
			// A request may give up its place a moment after its client has the answer.
			await().atMost(PATIENCE).until(() -> place().join().statusCode() == 201);
		}
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

	private HttpResponse<String> manage(String probe) throws IOException, InterruptedException {
		return this.client.send(
				HttpRequest.newBuilder(management().resolve("/actuator/health/" + probe)).timeout(PATIENCE).build(),
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
