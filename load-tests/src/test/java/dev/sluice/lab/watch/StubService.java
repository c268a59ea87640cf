package dev.sluice.lab.watch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;

/**
 * Serves metrics like those of a gateway. Each scrape reports ten more saved orders. Can
 * be stopped and restarted on the same port.
 */
final class StubService implements AutoCloseable {

	private final AtomicInteger scrapes = new AtomicInteger();

	private HttpServer server;

	private final int port;

	StubService() {
		this.server = start(0);
		this.port = this.server.getAddress().getPort();
	}

	private HttpServer start(int atPort) {
		try {
			HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), atPort), 0);
			started.createContext("/actuator/prometheus", (exchange) -> {
				byte[] body = text(this.scrapes.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
				exchange.sendResponseHeaders(200, body.length);
				exchange.getResponseBody().write(body);
				exchange.close();
			});
			started.start();
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String text(int scrape) {
		return """
				process_start_time_seconds 100
				sluice_orders_total{outcome="saved",mode="sync"} %s
				sluice_order_duration_seconds_bucket{mode="sync",le="0.1"} %s
				sluice_order_duration_seconds_bucket{mode="sync",le="+Inf"} %s
				sluice_circuit_open 1
				jvm_threads_live_threads 31
				""".formatted(scrape * 10, scrape * 1_000, scrape * 1_000);
	}

	URI uri() {
		return URI.create("http://127.0.0.1:" + this.port);
	}

	void stop() {
		this.server.stop(0);
	}

	void startAgain() {
		this.server = start(this.port);
	}

	@Override
	public void close() {
		stop();
	}

}
