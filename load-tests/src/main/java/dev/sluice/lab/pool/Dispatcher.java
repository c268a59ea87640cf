package dev.sluice.lab.pool;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import dev.sluice.lab.kit.client.Connections;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.statistics.Percentile;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;

/**
 * A queue and its dispatcher. The number of messages in flight is limited, and further
 * messages wait in the order of arrival. A message that cannot be sent is tried again
 * after a pause that doubles, up to {@link #ATTEMPTS} attempts; then it is an error.
 * <p>
 * produced = queued + in flight + written + errors. Thread-safe.
 */
final class Dispatcher implements AutoCloseable {

	static final int ATTEMPTS = 5;

	/** Many more than a case produces. */
	private static final int MAX_QUEUED = 100_000;

	static final long FIRST_PAUSE_MILLIS = 500;

	private static final double[] SHARES = { 100, 99.99, 99.9, 99, 95, 90 };

	/** A virtual thread for each message in flight, and the queue. */
	private final ThreadPoolExecutor senders;

	private final Connections connections;

	private final byte[] request;

	private final long firstPauseMillis;

	/**
	 * Of the written messages, from production until the answer, in milliseconds. Guarded
	 * by this, like all fields that follow.
	 */
	private final List<Double> latencies = new ArrayList<>();

	private long produced;

	private long errors;

	private long failedAttempts;

	/**
	 * @param target http URI that each message asks for
	 * @param limits of the connections
	 * @param concurrency maximum number of messages in flight
	 * @param firstPauseMillis before the second attempt
	 */
	Dispatcher(URI target, Limits limits, int concurrency, long firstPauseMillis) {
		this.connections = new Connections(target, limits);
		this.request = "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(target.getRawPath(), target.getAuthority())
			.getBytes(StandardCharsets.US_ASCII);
		this.firstPauseMillis = firstPauseMillis;
		this.senders = new ThreadPoolExecutor(concurrency, concurrency, 0, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(MAX_QUEUED), Thread.ofVirtual().factory());
	}

	/** Puts a number of messages into the queue. */
	synchronized void produce(int messages) {
		for (int i = 0; i < messages; i++) {
			long producedNanos = System.nanoTime();
			this.senders.execute(() -> send(producedNanos));
			this.produced++;
		}
	}

	private void send(long producedNanos) {
		boolean sent = false;
		try {
			sent = tried();
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		finally {
			ended(sent, producedNanos);
		}
	}

	private boolean tried() throws InterruptedException {
		long pause = this.firstPauseMillis;
		for (int attempt = 1;; attempt++) {
			if (exchange()) {
				return true;
			}
			synchronized (this) {
				this.failedAttempts++;
			}
			if (attempt == ATTEMPTS) {
				return false;
			}
			// Half of the pause is random, so that messages do not return in step.
			Thread.sleep(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
			pause *= 2;
		}
	}

	/** Returns whether the answer was a success. */
	private boolean exchange() throws InterruptedException {
		BlockingQueue<Boolean> answered = new ArrayBlockingQueue<>(1);
		this.connections.send(this.request, (_, failure) -> answered.add(failure == null));
		return answered.take();
	}

	private synchronized void ended(boolean sent, long producedNanos) {
		if (sent) {
			this.latencies.add((System.nanoTime() - producedNanos) / 1e6);
		}
		else {
			this.errors++;
		}
	}

	/** The current status. */
	synchronized Status status(double second) {
		int queued = this.senders.getQueue().size();
		long inFlight = this.produced - queued - this.latencies.size() - this.errors;
		return new Status(second, this.produced, queued, (int) inFlight, this.errors, this.failedAttempts,
				this.connections.open(), this.connections.opened(),
				shares(this.latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray()));
	}

	/** Figures of the fastest messages, by share. */
	private static List<Share> shares(double[] sorted) {
		if (sorted.length == 0) {
			return List.of();
		}
		return Arrays.stream(SHARES).mapToObj((percent) -> {
			int fastest = (int) Math.max(1, Math.floor(sorted.length * percent / 100));
			OptionalLong rank = Percentile.rank(sorted.length, percent);
			return new Share(percent, fastest, Arrays.stream(sorted, 0, fastest).average().orElseThrow(), sorted[0],
					sorted[fastest - 1], rank.isPresent() ? Double.valueOf(sorted[(int) rank.getAsLong() - 1]) : null);
		}).toList();
	}

	/** Drops queued messages and gives up those in flight. */
	@Override
	public void close() {
		this.senders.shutdownNow();
		this.connections.close();
		try {
			if (!this.senders.awaitTermination(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The senders did not end within 10 s");
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
