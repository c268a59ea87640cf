package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Polls a service's health five times a second until it is closed. */
final class HealthWatch implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final long INTERVAL_MILLIS = 200;

	private static final int OK = 200;

	private final List<Check> checks = new ArrayList<>();

	private final Thread thread;

	private record Check(long atMillis, boolean healthy) {
	}

	/**
	 * Starts polling.
	 * @param startNanos time zero, of {@link System#nanoTime}
	 */
	HealthWatch(HttpClient client, URI health, long startNanos) {
		HttpRequest request = HttpRequest.newBuilder(health).timeout(TIMEOUT).build();
		this.thread = Thread.ofVirtual().name("health-watch").start(() -> watch(client, request, startNanos));
	}

	private void watch(HttpClient client, HttpRequest request, long startNanos) {
		try {
			while (true) {
				boolean healthy = false;
				try {
					HttpResponse<Void> answer = client.send(request, BodyHandlers.discarding());
					healthy = answer.statusCode() == OK;
				}
				catch (IOException _) {
					// Not healthy.
				}
				synchronized (this.checks) {
					this.checks.add(new Check(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos), healthy));
				}
				Thread.sleep(INTERVAL_MILLIS);
			}
		}
		catch (InterruptedException _) {
			// Closed.
		}
	}

	/**
	 * When the service first had the given health within a period; null if it did not.
	 */
	@Nullable Long first(boolean healthy, long fromMillis, long toMillis) {
		synchronized (this.checks) {
			return this.checks.stream()
				.filter((check) -> check.healthy() == healthy && check.atMillis() >= fromMillis
						&& check.atMillis() <= toMillis)
				.map(Check::atMillis)
				.findFirst()
				.orElse(null);
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
	}

}
