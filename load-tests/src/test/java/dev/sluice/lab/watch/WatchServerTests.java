package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.watch.Moment.State;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class WatchServerTests {

	private static final long BEGUN = 1_000;

	private final HttpClient client = HttpClient.newHttpClient();

	private final History history = new History();

	@AfterEach
	void close() {
		this.client.close();
	}

	static Moment moment(long number) {
		return new Moment(number, BEGUN + number * 1_000, List.of(new State("gateway", "http://127.0.0.1:1", null)),
				Map.of("orders", Map.of("sync saved", 2.5)));
	}

	@Test
	void theHistoryIsToldFromWhereAPageHasIt() throws Exception {
		this.history.add(moment(1));
		this.history.add(moment(2));
		try (WatchServer server = server()) {
			JsonNode all = json(get(server, "/moments"));
			JsonNode rest = json(get(server, "/moments?after=1"));

			assertThat(all.path("begun").asLong()).isEqualTo(BEGUN);
			assertThat(all.path("moments")).hasSize(2);
			assertThat(rest.path("moments")).hasSize(1);
			JsonNode moment = rest.path("moments").path(0);
			assertThat(moment.path("number").asLong()).isEqualTo(2);
			assertThat(moment.at("/figures/orders/sync saved").asDouble()).isEqualTo(2.5);
			assertThat(moment.at("/services/0/problem").isNull()).isTrue();
		}
	}

	@Test
	void whatIsNoNumberIsNone() throws Exception {
		this.history.add(moment(1));
		try (WatchServer server = server()) {
			for (String query : List.of("?after=", "?after=x", "?after=-1", "?after=99999999999999999999", "?x=1")) {
				assertThat(json(get(server, "/moments" + query)).path("moments")).as(query).hasSize(1);
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
				.doesNotContainPattern("(?i)(src|href|action|data)\\s*=\\s*[\"']?\\s*(https?:|//)")
				.doesNotContainPattern("(?i)url\\(|@import|<script[^>]+src");
		}
	}

	@Test
	void eachChartHasATableAndALink() throws Exception {
		try (WatchServer server = server()) {
			String page = get(server, "/").body();

			for (Panel panel : Panel.values()) {
				assertThat(page).contains("href=\"#%s\"".formatted(panel.id()), "id=\"%s-rows\"".formatted(panel.id()));
			}
		}
	}

	@Test
	void refusesWhatItDoesNotServe() throws Exception {
		try (WatchServer server = server()) {
			assertThat(get(server, "/other").statusCode()).isEqualTo(404);
			HttpRequest post = HttpRequest.newBuilder(uri(server, "/moments"))
				.POST(BodyPublishers.ofString("x"))
				.build();
			assertThat(this.client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
		}
	}

	@Test
	void refusesToBeCalledByAnotherName() throws Exception {
		try (WatchServer server = server()) {
			assertThat(statusLine(server, "evil.example:" + server.port())).contains(" 403 ");
			assertThat(statusLine(server, "localhost:" + server.port())).contains(" 200 ");
		}
	}

	@Test
	void refusesMoreRequestsThanItServesAtOnce() throws Exception {
		CountDownLatch arrived = new CountDownLatch(WatchServer.MAX_REQUESTS);
		CountDownLatch release = new CountDownLatch(1);
		try (WatchServer server = new WatchServer((_) -> {
			arrived.countDown();
			hold(release);
			return List.of();
		}, "", BEGUN, 0)) {
			List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
			for (int i = 0; i < WatchServer.MAX_REQUESTS; i++) {
				held.add(this.client.sendAsync(HttpRequest.newBuilder(uri(server, "/moments")).build(),
						BodyHandlers.ofString()));
			}
			arrived.await();

			HttpResponse<String> refused = get(server, "/moments");
			release.countDown();

			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
			assertThat(held).allSatisfy((each) -> assertThat(each.get().statusCode()).isEqualTo(200));
			assertThat(get(server, "/moments").statusCode()).isEqualTo(200);
		}
	}

	private static void hold(CountDownLatch release) {
		try {
			release.await();
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	private WatchServer server() throws IOException {
		return new WatchServer(this.history::after, WatchPage.html(), BEGUN, 0);
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

}
