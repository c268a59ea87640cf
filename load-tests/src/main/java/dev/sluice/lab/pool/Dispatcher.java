package dev.sluice.lab.pool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import dev.sluice.lab.kit.statistics.Percentile;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;

/**
 * A queue and its dispatcher. The number of messages in flight is limited, and further
 * messages wait in the order of arrival. A message that cannot be sent is tried again
 * after a pause that doubles, up to {@link #ATTEMPTS} attempts; then it is an error. A
 * message is refused if {@link #MAX_QUEUED} are waiting. Latencies of the last
 * {@link #MAX_TIMED} messages are kept for the status.
 * <p>
 * produced = refused + queued + in flight + written + errors. Thread-safe.
 */
final class Dispatcher implements AutoCloseable {

	static final int MAX_QUEUED = 100_000;

	static final int MAX_TIMED = 1_000_000;

	static final int ATTEMPTS = 5;

	private static final long FIRST_PAUSE_MILLIS = 500;

	private static final double[] SHARES = { 100, 99.99, 99.9, 99, 95, 90 };

	/** A virtual thread for each message in flight, and the queue. */
	private final ThreadPoolExecutor senders;

	private final ConnectionPool connections;

	private final long firstPauseMillis;

	/**
	 * From production until the answer, in nanoseconds; the oldest first. Guarded by
	 * this, like all fields that follow.
	 */
	private final Deque<Long> latencies = new ArrayDeque<>();

	private long produced;

	private long written;

	private long refused;

	private long errors;

	private long failedAttempts;

	Dispatcher(ConnectionPool connections, int concurrency) {
		this(connections, concurrency, FIRST_PAUSE_MILLIS);
	}

	Dispatcher(ConnectionPool connections, int concurrency, long firstPauseMillis) {
		this.connections = connections;
		this.firstPauseMillis = firstPauseMillis;
		this.senders = new ThreadPoolExecutor(concurrency, concurrency, 0, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(MAX_QUEUED), Thread.ofVirtual().factory());
	}

	/** Puts a number of messages into the queue. */
	synchronized void produce(int messages) {
		for (int i = 0; i < messages; i++) {
			this.produced++;
			long producedNanos = System.nanoTime();
			try {
				this.senders.execute(() -> send(producedNanos));
			}
			catch (RejectedExecutionException _) {
				this.refused++;
			}
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
			try {
				this.connections.exchange();
				return true;
			}
			catch (IOException _) {
				synchronized (this) {
					this.failedAttempts++;
				}
				if (attempt == ATTEMPTS) {
					return false;
				}
			}
			// Half of the pause is random, so that messages do not return in step.
			Thread.sleep(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1));
			pause *= 2;
		}
	}

	private synchronized void ended(boolean sent, long producedNanos) {
		if (!sent) {
			this.errors++;
			return;
		}
		this.written++;
		if (this.latencies.size() == MAX_TIMED) {
			this.latencies.remove();
		}
		this.latencies.add(System.nanoTime() - producedNanos);
	}

	/** The current status. Does not hold the lock while it sorts the times. */
	Status status(double second) {
		Status counts;
		long all;
		List<Long> nanos;
		synchronized (this) {
			int queued = this.senders.getQueue().size();
			long inFlight = this.produced - this.refused - queued - this.written - this.errors;
			counts = new Status(second, this.produced, this.refused, queued, (int) inFlight, this.errors,
					this.failedAttempts, this.senders.getMaximumPoolSize(), this.connections.open(),
					this.connections.opened(), List.of());
			all = this.written;
			nanos = List.copyOf(this.latencies);
		}
		return counts.with(shares(all, nanos.stream().mapToDouble((time) -> time / 1e6).sorted().toArray()));
	}

	/** Figures of the fastest messages, by share, from the times that are kept. */
	private static List<Share> shares(long written, double[] sorted) {
		if (sorted.length == 0) {
			return List.of();
		}
		return Arrays.stream(SHARES).mapToObj((percent) -> {
			int fastest = (int) part(sorted.length, percent);
			OptionalLong rank = Percentile.rank(sorted.length, percent);
			return new Share(percent, part(written, percent), Arrays.stream(sorted, 0, fastest).average().orElseThrow(),
					sorted[0], sorted[fastest - 1],
					rank.isPresent() ? Double.valueOf(sorted[(int) rank.getAsLong() - 1]) : null);
		}).toList();
	}

	private static long part(long whole, double percent) {
		return (long) Math.max(1, Math.floor(whole * percent / 100));
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
