package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.result.PoolResult.Status;
import tools.jackson.databind.json.JsonMapper;

/**
 * Offers a dispatcher to other processes on this machine: {@code GET /status},
 * {@code POST /messages/<count>}, {@code PUT /concurrency/<count>}.
 */
final class PoolServer implements AutoCloseable {

	/** Default port. */
	static final int PORT = 8095;

	static final int MAX_MESSAGES = 10_000;

	static final int MAX_CONCURRENCY = 10_000;

	private static final JsonMapper JSON = JsonMapper.shared();

	private static final int OK = 200;

	private static final int BAD_REQUEST = 400;

	private static final int WRONG_METHOD = 405;

	private final long startNanos = System.nanoTime();

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final Dispatcher dispatcher;

	private final HttpServer server;

	/**
	 * @param port port to listen on; 0 for any free one
	 * @throws IOException if the port is taken
	 */
	PoolServer(Dispatcher dispatcher, int port) throws IOException {
		this.dispatcher = dispatcher;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
		this.server.setExecutor(this.executor);
		this.server.createContext("/status", (exchange) -> answer(exchange, "GET", ""));
		this.server.createContext("/messages/",
				(exchange) -> change(exchange, "POST", MAX_MESSAGES, this.dispatcher::produce));
		this.server.createContext("/concurrency/",
				(exchange) -> change(exchange, "PUT", MAX_CONCURRENCY, this.dispatcher::concurrency));
		this.server.start();
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	Status status() {
		return this.dispatcher.status((System.nanoTime() - this.startNanos) / 1e9);
	}

	private void change(HttpExchange exchange, String method, int most, IntConsumer change) throws IOException {
		String path = exchange.getRequestURI().getPath();
		String number = path.substring(path.lastIndexOf('/') + 1);
		if (!number.matches("\\d{1,6}") || Integer.parseInt(number) < 1 || Integer.parseInt(number) > most) {
			answer(exchange, method, "a number from 1 to %d is needed, not '%s'".formatted(most, number));
			return;
		}
		if (exchange.getRequestMethod().equals(method)) {
			change.accept(Integer.parseInt(number));
		}
		answer(exchange, method, "");
	}

	/** Answers with the current status, or with the error. */
	private void answer(HttpExchange exchange, String method, String wrong) throws IOException {
		boolean allowed = exchange.getRequestMethod().equals(method);
		byte[] body = wrong.isEmpty() ? JSON.writeValueAsBytes(status()) : wrong.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(!allowed ? WRONG_METHOD : wrong.isEmpty() ? OK : BAD_REQUEST, body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.executor.close();
		this.dispatcher.close();
	}

}
