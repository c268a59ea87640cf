package dev.sluice.lab.pool;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import dev.sluice.lab.kit.client.Connections;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient.Reply;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Sender;

/**
 * Sends messages. One that cannot be sent is tried again after a pause that doubles, up
 * to {@link #ATTEMPTS} attempts; then it is given up, and counts as not answered.
 * Thread-safe.
 */
final class Messages implements Sender, AutoCloseable {

	static final int ATTEMPTS = 5;

	static final long FIRST_PAUSE_MILLIS = 500;

	private final ScheduledExecutorService pauses = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("pauses").factory());

	private final Connections connections;

	private final byte[] request;

	private final long firstPauseMillis;

	/**
	 * @param target http URI that each message asks for
	 * @param limits of the connections
	 * @param firstPauseMillis before the second attempt
	 */
	Messages(URI target, Limits limits, long firstPauseMillis) {
		this.connections = new Connections(target, limits);
		this.request = "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(target.getRawPath(), target.getAuthority())
			.getBytes(StandardCharsets.US_ASCII);
		this.firstPauseMillis = firstPauseMillis;
	}

	@Override
	public void send(int number, Reply reply) {
		attempt(1, this.firstPauseMillis, reply);
	}

	private void attempt(int attempt, long pause, Reply reply) {
		this.connections.send(this.request, (status, failure) -> {
			if (failure == null) {
				reply.take(status, null);
				return;
			}
			if (attempt < ATTEMPTS) {
				// Half of the pause is random, so that messages do not return in step.
				this.pauses.schedule(() -> attempt(attempt + 1, pause * 2, reply),
						pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1), TimeUnit.MILLISECONDS);
			}
			else {
				reply.take(Requests.NOT_ANSWERED, failure);
			}
		});
	}

	Connections connections() {
		return this.connections;
	}

	/** Gives up what is in flight. */
	@Override
	public void close() {
		this.connections.close();
		this.pauses.shutdownNow();
	}

}
