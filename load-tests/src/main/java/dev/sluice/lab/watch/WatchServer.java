package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.page.Html;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page to browsers on this machine: {@code GET /}, and
 * {@code GET /moments?after=<milliseconds>}, which a page requests every second.
 */
final class WatchServer implements AutoCloseable {

	/** Default port. */
	static final int PORT = 8096;

	private final LongFunction<List<Watch.Moment>> moments;

	private final HttpServer server;

	/**
	 * @param moments returns the moments after a time in milliseconds since the epoch
	 * @param port port to listen on; 0 for any free one
	 * @throws IOException if the port is taken
	 */
	WatchServer(LongFunction<List<Watch.Moment>> moments, int port) throws IOException {
		this.moments = moments;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
		this.server.setExecutor(Thread.ofVirtual()::start);
		this.server.createContext("/", this::serve);
		this.server.start();
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	private void serve(HttpExchange exchange) throws IOException {
		try (exchange) {
			if (!ofThisMachine(exchange)) {
				answer(exchange, 403, "text/plain", "ask for 127.0.0.1");
				return;
			}
			switch (exchange.getRequestURI().getPath()) {
				case "/" -> answer(exchange, 200, "text/html; charset=utf-8", page());
				case "/moments" -> answer(exchange, 200, "application/json", JsonMapper.shared()
					.writeValueAsString(this.moments.apply(after(exchange.getRequestURI().getQuery()))));
				default -> answer(exchange, 404, "text/plain", "not here");
			}
		}
	}

	/**
	 * Protects against DNS rebinding: a page elsewhere whose host name resolves to this
	 * machine.
	 */
	private boolean ofThisMachine(HttpExchange exchange) {
		String host = exchange.getRequestHeaders().getFirst("Host");
		return host != null
				&& Stream.of("127.0.0.1", "localhost", "[::1]").anyMatch((name) -> host.equals(name + ":" + port()));
	}

	/** The time in the query; 0, for all moments, if it is missing or not a number. */
	private static long after(@Nullable String query) {
		return (query != null && query.matches("after=\\d{1,18}")) ? Long.parseLong(query.substring("after=".length()))
				: 0;
	}

	/**
	 * In the report's style. It loads nothing but the moments, which {@code watch.js}
	 * draws.
	 */
	private static String page() {
		return Html.page("Sluice: lab watch", "connect-src 'self';", Html.resource("/dev/sluice/lab/watch/watch.css"),
				Html.resource("/dev/sluice/lab/watch/watch.html"), Html.resource("/dev/sluice/lab/watch/watch.js"));
	}

	private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
		byte[] body = text.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", type);
		exchange.getResponseHeaders().set("Cache-Control", "no-store");
		exchange.sendResponseHeaders(status, body.length);
		exchange.getResponseBody().write(body);
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
