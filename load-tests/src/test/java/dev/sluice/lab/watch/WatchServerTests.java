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
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class WatchServerTests {

	private final LabRun lab = new LabRun();

	private final HttpClient client = HttpClient.newHttpClient();

	private final List<Moment> history = new ArrayList<>();

	@AfterEach
	void close() {
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
		try (WatchServer server = server()) {
			JsonNode all = json(get(server, "/moments"));
			JsonNode rest = json(get(server, "/moments?after=1"));

			assertThat(all).hasSize(2);
			assertThat(rest).hasSize(1);
			JsonNode moment = rest.path(0);
			assertThat(moment.path("millis").asLong()).isEqualTo(2);
			assertThat(moment.at("/figures/orders/sync saved").asDouble()).isEqualTo(2.5);
			assertThat(moment.at("/services/0/problem").isNull()).isTrue();
		}
	}

	@Test
	void whatIsNoNumberIsNone() throws Exception {
		this.history.add(moment(1));
		try (WatchServer server = server()) {
			for (String query : List.of("?after=", "?after=x", "?after=-1", "?after=99999999999999999999", "?x=1")) {
				assertThat(json(get(server, "/moments" + query))).as(query).hasSize(1);
			}
		}
	}

	@Test
	void thePageNeedsNothingFromElsewhereAndForbidsIt() throws Exception {
		try (WatchServer server = server()) {
			HttpResponse<String> page = get(server, "/");

			assertThat(page.statusCode()).isEqualTo(200);
			assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
			assertThat(page.body()).contains("default-src &#39;none&#39;", "connect-src &#39;self&#39;")
				.doesNotContainPattern("(?i)<[a-z]+ [^>]*(src|href|action|data)\\s*=\\s*[\"']?\\s*(https?:|//)")
				.doesNotContainPattern("(?i)@import|<script[^>]+src");
		}
	}

	@Test
	void refusesWhatItDoesNotServe() throws Exception {
		try (WatchServer server = server()) {
			assertThat(get(server, "/other").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void refusesToBeCalledByAnotherName() throws Exception {
		try (WatchServer server = server()) {
			assertThat(statusLine(server, "evil.example:" + server.port())).contains(" 403 ");
			assertThat(statusLine(server, "localhost:" + server.port())).contains(" 200 ");
		}
	}

	private WatchServer server() throws IOException {
		return new WatchServer((after) -> this.history.stream().filter((moment) -> moment.millis() > after).toList(),
				0);
	}

	private HttpResponse<String> get(WatchServer server, String path) throws Exception {
		return this.client.send(HttpRequest.newBuilder(uri(server, path)).timeout(Patience.ofSeconds(60)).build(),
				BodyHandlers.ofString());
	}

	private static URI uri(WatchServer server, String path) {
		return URI.create("http://127.0.0.1:" + server.port() + path);
	}

	private static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	/** Uses a socket, as the JDK's client does not allow another Host header. */
	private static String statusLine(WatchServer server, String host) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
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
