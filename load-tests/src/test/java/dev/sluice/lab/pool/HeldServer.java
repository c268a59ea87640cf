package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;

/** Holds all answers until it is released. */
final class HeldServer implements AutoCloseable {

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final CountDownLatch release = new CountDownLatch(1);

	private final AtomicInteger waiting = new AtomicInteger();

	private final HttpServer server;

	HeldServer() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
		this.server.setExecutor(this.executor);
		this.server.createContext("/", (exchange) -> {
			this.waiting.incrementAndGet();
			try {
				this.release.await();
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			this.waiting.decrementAndGet();
			exchange.sendResponseHeaders(200, 2);
			exchange.getResponseBody().write(new byte[] { 'o', 'k' });
			exchange.close();
		});
		this.server.start();
	}

	URI uri() {
		return URI.create("http://127.0.0.1:%s/".formatted(this.server.getAddress().getPort()));
	}

	/** Number of requests that wait for their answer. */
	int waiting() {
		return this.waiting.get();
	}

	void release() {
		this.release.countDown();
	}

	@Override
	public void close() {
		release();
		this.server.stop(0);
		this.executor.close();
	}

}
