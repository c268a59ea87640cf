package dev.sluice.lab.pool;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class HttpLinkTests {

	private static final int ANSWER_MILLIS = 5_000;

	@ParameterizedTest
	@ValueSource(strings = { "/100", "/x?delay=5", "/a%20b?c=%2F" })
	void asksForThePathWithItsQuery(String resource) throws Exception {
		Queue<String> asked = new ConcurrentLinkedQueue<>();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
		server.createContext("/", (exchange) -> {
			asked.add(exchange.getRequestURI().toString());
			exchange.sendResponseHeaders(200, 2);
			exchange.getResponseBody().write(new byte[] { 'o', 'k' });
			exchange.close();
		});
		server.start();
		try {
			Link link = HttpLink
				.to(URI.create("http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), resource)))
				.open(ANSWER_MILLIS);
			link.exchange();
			link.close();
		}
		finally {
			server.stop(0);
		}

		assertThat(asked).containsExactly(resource);
	}

}
