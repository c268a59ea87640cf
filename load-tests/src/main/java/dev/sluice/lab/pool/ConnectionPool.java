package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Connections to one server, with the settings of the HTTP agent that repaired the
 * reference's client: a maximum number of connections, and a maximum number of unused
 * ones to keep. Thread-safe. A caller blocks while it waits for a connection or an
 * answer, so it should be a virtual thread.
 */
final class ConnectionPool implements AutoCloseable {

	private final URI target;

	private final Limits limits;

	private final Semaphore places;

	/** The most recently used connection first; guarded by this. */
	private final Deque<HttpLink> free = new ArrayDeque<>();

	/** Guarded by this. */
	private final Set<HttpLink> all = new HashSet<>();

	private long opened;

	private boolean closed;

	/**
	 * The settings.
	 *
	 * @param most maximum number of connections at once
	 * @param mostFree maximum number of unused connections to keep; 0 to use each once
	 * @param answerMillis time limit of an answer, in milliseconds
	 * @param freeMillis time after which an unused connection is closed, in milliseconds
	 */
	record Limits(int most, int mostFree, int answerMillis, int freeMillis) {

		/** The reference's limits. */
		static final Limits KEPT = new Limits(40, 10, 60_000, 300_000);

		/** A new connection for each message, without a maximum. */
		static final Limits NEW = new Limits(Integer.MAX_VALUE, 0, 60_000, 0);

	}

	ConnectionPool(URI target, Limits limits) {
		this.target = target;
		this.limits = limits;
		this.places = new Semaphore(limits.most(), true);
	}

	/**
	 * Sends one message.
	 * @throws IOException if there is no answer, or it is an error
	 */
	void exchange() throws IOException, InterruptedException {
		this.places.acquire();
		try {
			HttpLink connection = take();
			boolean reusable = false;
			try {
				reusable = connection.exchange();
			}
			finally {
				giveBack(connection, reusable);
			}
		}
		finally {
			this.places.release();
		}
	}

	private HttpLink take() throws IOException {
		synchronized (this) {
			for (HttpLink kept = this.free.pollFirst(); kept != null; kept = this.free.pollFirst()) {
				if (System.nanoTime() - kept.lastUsedNanos() < TimeUnit.MILLISECONDS
					.toNanos(this.limits.freeMillis())) {
					return kept;
				}
				end(kept);
			}
		}
		HttpLink connection = HttpLink.open(this.target, this.limits.answerMillis());
		synchronized (this) {
			this.opened++;
			this.all.add(connection);
			if (this.closed) {
				end(connection);
				throw new IOException("the pool is closed");
			}
		}
		return connection;
	}

	private synchronized void giveBack(HttpLink connection, boolean reusable) {
		if (reusable && !this.closed && this.free.size() < this.limits.mostFree()) {
			this.free.addFirst(connection);
		}
		else {
			end(connection);
		}
	}

	/** Called with the lock held. */
	private void end(HttpLink connection) {
		this.all.remove(connection);
		connection.close();
	}

	/** Connections that are open now. */
	synchronized int open() {
		return this.all.size();
	}

	/** Connections opened since the beginning. */
	synchronized long opened() {
		return this.opened;
	}

	/** Closes every connection. Exchanges in progress fail. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.all.forEach(HttpLink::close);
		this.all.clear();
		this.free.clear();
	}

}
