package dev.sluice.lab.watch;

import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.lab.StubServer;

/**
 * Serves metrics like those of a gateway. Each scrape reports ten more saved orders. Can
 * be stopped and restarted on the same port.
 */
final class StubService implements AutoCloseable {

	private final AtomicInteger scrapes = new AtomicInteger();

	private StubServer server = start(0);

	private final int port = this.server.uri("").getPort();

	private StubServer start(int atPort) {
		return new StubServer(atPort).on("/actuator/prometheus",
				(exchange) -> StubServer.answer(exchange, 200, text(this.scrapes.incrementAndGet())));
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
		this.server.close();
	}

	void startAgain() {
		this.server = start(this.port);
	}

	@Override
	public void close() {
		stop();
	}

}
