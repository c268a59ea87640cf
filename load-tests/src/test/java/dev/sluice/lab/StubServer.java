package dev.sluice.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An HTTP server on a free port of this machine, with a thread for each exchange, until
 * the test is over, if it is a field with {@link RegisterExtension}, or it is closed.
 */
public final class StubServer implements AfterEachCallback, AutoCloseable {

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final HttpServer server;

	public StubServer() {
		this(0);
	}

	/**
	 * @param port its port; 0 for a free one
	 */
	public StubServer(int port) {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.executor);
		this.server.start();
	}

	/** Handles all paths that begin like this one. */
	public StubServer on(String path, HttpHandler handler) {
		this.server.createContext(path, handler);
		return this;
	}

	/** Gives one answer to all paths that begin like this one. */
	public StubServer on(String path, int status, @Nullable String body) {
		return on(path, (exchange) -> answer(exchange, status, body));
	}

	public URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + path);
	}

	/** Reads the request to its end and answers; without a body if that is null. */
	public static void answer(HttpExchange exchange, int status, @Nullable String body) throws IOException {
		exchange.getRequestBody().readAllBytes();
		byte[] bytes = (body != null) ? body.getBytes(StandardCharsets.UTF_8) : new byte[0];
		exchange.sendResponseHeaders(status, (bytes.length > 0) ? bytes.length : -1);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.executor.shutdownNow();
	}

}
