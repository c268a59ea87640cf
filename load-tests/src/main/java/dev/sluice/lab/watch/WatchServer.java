package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page to browsers on this machine: {@code GET /}, and
 * {@code GET /moments?after=<number>}, which a page requests every second. Handles at
 * most {@value #MAX_REQUESTS} requests at once and answers further ones with 503.
 */
final class WatchServer implements AutoCloseable {

	/** Default port. */
	static final int PORT = 8096;

	static final int MAX_REQUESTS = 32;

	private static final JsonMapper JSON = JsonMapper.shared();

	private static final int HTTP_PORT = 80;

	private static final int OK = 200;

	private static final int FORBIDDEN = 403;

	private static final int NOT_FOUND = 404;

	private static final int WRONG_METHOD = 405;

	private static final int FULL = 503;

	private static final String AFTER = "after=";

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final Semaphore requests = new Semaphore(MAX_REQUESTS);

	private final LongFunction<List<Moment>> moments;

	private final byte[] page;

	private final HttpServer server;

	private final long begun;

	/**
	 * The answer to a page.
	 *
	 * @param begun identifies the server, as a later one at the same port restarts the
	 * numbers
	 */
	record Answer(long begun, List<Moment> moments) {
	}

	/**
	 * @param moments returns the moments after a number
	 * @param begun when it started, in milliseconds since the epoch
	 * @param port port to listen on; 0 for any free one
	 * @throws IOException if the port is taken
	 */
	WatchServer(LongFunction<List<Moment>> moments, String page, long begun, int port) throws IOException {
		this.moments = moments;
		this.begun = begun;
		this.page = page.getBytes(StandardCharsets.UTF_8);
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
		this.server.setExecutor(this.executor);
		this.server.createContext("/", this::serve);
		this.server.start();
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	private void serve(HttpExchange exchange) throws IOException {
		try (exchange) {
			if (!this.requests.tryAcquire()) {
				exchange.getResponseHeaders().set("Retry-After", "1");
				answer(exchange, FULL, "text/plain", "too many requests at once".getBytes(StandardCharsets.UTF_8));
				return;
			}
			try {
				route(exchange);
			}
			finally {
				this.requests.release();
			}
		}
	}

	private void route(HttpExchange exchange) throws IOException {
		if (!ofThisMachine(exchange)) {
			answer(exchange, FORBIDDEN, "text/plain", "ask for 127.0.0.1".getBytes(StandardCharsets.UTF_8));
			return;
		}
		boolean isGet = exchange.getRequestMethod().equals("GET");
		switch (exchange.getRequestURI().getPath()) {
			case "/" -> answer(exchange, isGet ? OK : WRONG_METHOD, "text/html; charset=utf-8",
					isGet ? this.page : new byte[0]);
			case "/moments" -> answer(exchange, isGet ? OK : WRONG_METHOD, "application/json",
					isGet ? JSON.writeValueAsBytes(moments(exchange)) : new byte[0]);
			default -> answer(exchange, NOT_FOUND, "text/plain", new byte[0]);
		}
	}

	/**
	 * Protects against DNS rebinding: a page elsewhere whose host name resolves to this
	 * machine.
	 */
	private boolean ofThisMachine(HttpExchange exchange) {
		String host = exchange.getRequestHeaders().getFirst("Host");
		// Browsers omit port 80.
		return host != null && Stream.of("127.0.0.1", "localhost", "[::1]")
			.anyMatch((name) -> host.equals(name + ":" + port()) || (port() == HTTP_PORT && host.equals(name)));
	}

	private Answer moments(HttpExchange exchange) {
		return new Answer(this.begun, this.moments.apply(after(exchange.getRequestURI().getQuery())));
	}

	/** The number in the query; 0, for all moments, if it is missing or not a number. */
	private static long after(@Nullable String query) {
		if (query == null || !query.startsWith(AFTER) || !query.substring(AFTER.length()).matches("\\d{1,18}")) {
			return 0;
		}
		return Long.parseLong(query.substring(AFTER.length()));
	}

	private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
		Headers headers = exchange.getResponseHeaders();
		headers.set("Content-Type", type);
		headers.set("Cache-Control", "no-store");
		exchange.sendResponseHeaders(status, (body.length > 0) ? body.length : -1);
		if (body.length > 0) {
			exchange.getResponseBody().write(body);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.executor.close();
	}

}
