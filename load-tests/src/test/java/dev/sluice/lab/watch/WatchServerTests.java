package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.LabRun;
import dev.sluice.lab.watch.Watch.Moment;
import dev.sluice.lab.watch.Watch.State;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class WatchServerTests {

	private final LabRun lab = new LabRun();

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<Moment> history = new ArrayList<>();

	private WatchServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = new WatchServer(
				(after) -> this.history.stream().filter((moment) -> moment.millis() > after).toList(), 0);
	}

	@AfterEach
	void close() {
		this.server.close();
		this.client.close();
	}

	static Moment moment(long millis) {
		return new Moment(millis, List.of(new State("gateway", "http://127.0.0.1:1", null)),
				Map.of("orders", Map.of("sync saved", 2.5)));
	}

	@Test
	void theHistoryIsToldFromWhereAPageHasIt() throws Exception {
		this.history.add(moment(1));
		this.history.add(moment(2));
		JsonNode all = json(get("/moments"));
		JsonNode rest = json(get("/moments?after=1"));

		assertThat(all).hasSize(2);
		assertThat(rest).hasSize(1);
		JsonNode moment = rest.path(0);
		assertThat(moment.path("millis").asLong()).isEqualTo(2);
		assertThat(moment.at("/figures/orders/sync saved").asDouble()).isEqualTo(2.5);
		assertThat(moment.at("/services/0/problem").isNull()).isTrue();
	}

	@Test
	void whatIsNoNumberIsNone() throws Exception {
		this.history.add(moment(1));
		for (String query : List.of("?after=", "?after=x", "?after=-1", "?after=99999999999999999999", "?x=1")) {
			assertThat(json(get("/moments" + query))).as(query).hasSize(1);
		}
	}

	@Test
	void thePageNeedsNothingFromElsewhereAndForbidsIt() throws Exception {
		HttpResponse<String> page = get("/");

		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
		assertThat(page.body()).contains("default-src &#39;none&#39;", "connect-src &#39;self&#39;")
			.doesNotContainPattern("(?i)<[a-z]+ [^>]*(src|href|action|data)\\s*=\\s*[\"']?\\s*(https?:|//)")
			.doesNotContainPattern("(?i)@import|<script[^>]+src");
	}

	@Test
	void refusesWhatItDoesNotServeAndToBeCalledByAnotherName() throws Exception {
		assertThat(get("/other").statusCode()).isEqualTo(404);
		assertThat(statusLine("evil.example:" + this.server.port())).contains(" 403 ");
		assertThat(statusLine("localhost:" + this.server.port())).contains(" 200 ");
	}

	private HttpResponse<String> get(String path) throws Exception {
		URI uri = URI.create("http://127.0.0.1:" + this.server.port() + path);
		return this.client.send(HttpRequest.newBuilder(uri).timeout(Patience.ofSeconds(60)).build(),
				BodyHandlers.ofString());
	}

	private static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	/** Uses a socket, as the JDK's client does not allow another Host header. */
	private String statusLine(String host) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.server.port())) {
			socket.setSoTimeout((int) Patience.ofSeconds(60).toMillis());
			socket.getOutputStream()
				.write("GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host)
					.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
				.findFirst()
				.orElseThrow();
		}
	}

	@Test
	void saysThatThePortIsTaken() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			int exit = this.lab.execute("watch", "--port", "" + taken.getLocalPort());

			assertThat(exit).isEqualTo(1);
			assertThat(this.lab.err()).hasLineCount(1)
				.contains("port %s is taken".formatted(taken.getLocalPort()), "--port");
		}
	}

}
