package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.SampleOrder;
import dev.sluice.lab.kit.stack.Service;
import tools.jackson.databind.json.JsonMapper;

/**
 * Places orders at a steady rate by the clock at one gateway in one mode until it is
 * closed. Every other order has an idempotency key; none is retried. The number of open
 * orders is limited to those due within {@link #TIMEOUT}.
 */
final class SteadyOrders implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final List<Beat> beats = new ArrayList<>();

	private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

	private final HttpClient client;

	private final Service gateway;

	private final Mode mode;

	private final long startNanos;

	private final Thread thread;

	/**
	 * One order.
	 *
	 * @param sentMillis when it was sent, in milliseconds since the beginning
	 * @param status HTTP status of the answer; 0 if there was none
	 */
	record Beat(String gateway, Mode mode, boolean keyed, long sentMillis, long tookMillis, int status) {

		boolean isPlaced() {
			return this.status / 100 == 2;
		}

		long endedMillis() {
			return this.sentMillis + this.tookMillis;
		}

	}

	/**
	 * Starts placing orders.
	 * @param startNanos time zero, of {@link System#nanoTime}
	 */
	SteadyOrders(HttpClient client, Service gateway, Mode mode, double perSecond, long startNanos) {
		this.client = client;
		this.gateway = gateway;
		this.mode = mode;
		this.startNanos = startNanos;
		this.thread = Thread.ofVirtual().name("pulse").start(() -> beat(Math.round(1e9 / perSecond)));
	}

	private void beat(long periodNanos) {
		try {
			for (int number = 0;; number++) {
				TimeUnit.NANOSECONDS.sleep(this.startNanos + number * periodNanos - System.nanoTime());
				int beat = number;
				HttpRequest request = request(beat);
				this.executor.execute(() -> send(request, isKeyed(beat)));
			}
		}
		catch (InterruptedException _) {
			// Closed.
		}
	}

	private void send(HttpRequest request, boolean keyed) {
		long sent = System.nanoTime();
		int status = 0;
		try {
			HttpResponse<Void> response = this.client.send(request, BodyHandlers.discarding());
			status = response.statusCode();
		}
		catch (IOException _) {
			// No answer: status 0.
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return;
		}
		long took = System.nanoTime() - sent;
		synchronized (this.beats) {
			this.beats.add(new Beat(this.gateway.name(), this.mode, keyed, millis(sent - this.startNanos), millis(took),
					status));
		}
	}

	private static boolean isKeyed(int number) {
		return number % 2 == 0;
	}

	private HttpRequest request(int number) {
		Order order = SampleOrder.of("customer-" + number % 97);
		HttpRequest.Builder request = HttpRequest.newBuilder(this.gateway.uri().resolve("/orders"))
			.timeout(TIMEOUT)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofByteArray(JsonMapper.shared().writeValueAsBytes(order)));
		if (isKeyed(number)) {
			request.header(HttpNames.IDEMPOTENCY_KEY, '"' + UUID.randomUUID().toString() + '"');
		}
		return switch (this.mode) {
			case SYNC -> request.build();
			case QUEUED -> request.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC).build();
		};
	}

	private static long millis(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(nanos);
	}

	/** The orders that have ended, in the order they were sent. */
	List<Beat> beats() {
		synchronized (this.beats) {
			return this.beats.stream().sorted(Comparator.comparingLong(Beat::sentMillis)).toList();
		}
	}

	/** Stops sending and waits for open orders. */
	@Override
	public void close() {
		this.thread.interrupt();
		this.executor.close();
	}

}
