package dev.sluice.lab.pool;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Connections to one HTTP server, with the settings of the agent that the seed mended its
 * client with: at most so many, of which at most so many are kept while nobody uses them.
 * For any number of threads, each of which blocks while it waits for a connection or an
 * answer: meant for virtual threads.
 */
final class ConnectionPool implements AutoCloseable {

	private final URI target;

	private final Limits limits;

	private final Semaphore places;

	/** The one used last comes first; guarded by this. */
	private final Deque<Connection> free = new ArrayDeque<>();

	/** Guarded by this. */
	private final Set<Connection> all = new HashSet<>();

	private long opened;

	private boolean closed;

	/**
	 * The settings.
	 *
	 * @param most connections at once
	 * @param mostFree connections that are kept while unused; 0 = each is used once
	 * @param answerMillis within which an answer must come
	 * @param freeMillis after which an unused connection is closed
	 */
	record Limits(int most, int mostFree, int answerMillis, int freeMillis) {

		/** The seed's. */
		static final Limits KEPT = new Limits(40, 10, 60_000, 300_000);

		/** As many as messages are in flight, each for one message. */
		static final Limits NEW = new Limits(Integer.MAX_VALUE, 0, 60_000, 0);

	}

	/**
	 * @param target an http URI; every request is a GET of it
	 */
	ConnectionPool(URI target, Limits limits) {
		this.target = target;
		this.limits = limits;
		this.places = new Semaphore(limits.most(), true);
	}

	/**
	 * Sends one request.
	 * @throws IOException if there was no answer, or one that is no success
	 */
	void exchange() throws IOException, InterruptedException {
		this.places.acquire();
		try {
			Connection connection = take();
			boolean well = false;
			try {
				well = connection.exchange();
			}
			finally {
				giveBack(connection, well);
			}
		}
		finally {
			this.places.release();
		}
	}

	private Connection take() throws IOException {
		synchronized (this) {
			for (Connection kept = this.free.pollFirst(); kept != null; kept = this.free.pollFirst()) {
				if (System.nanoTime() - kept.freeSinceNanos < TimeUnit.MILLISECONDS.toNanos(this.limits.freeMillis())) {
					return kept;
				}
				end(kept);
			}
		}
		Connection connection = new Connection(this.target, this.limits.answerMillis());
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

	private synchronized void giveBack(Connection connection, boolean reusable) {
		if (reusable && !this.closed && this.free.size() < this.limits.mostFree()) {
			connection.freeSinceNanos = System.nanoTime();
			this.free.addFirst(connection);
		}
		else {
			end(connection);
		}
	}

	/** Called by whoever holds the lock. */
	private void end(Connection connection) {
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

	/** Ends every connection: who waits for an answer has none. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.all.forEach(Connection::close);
		this.all.clear();
		this.free.clear();
	}

	/** One connection, for one thread at a time. */
	private static final class Connection {

		private static final int CONNECT_MILLIS = 10_000;

		private static final int LONGEST_LINE = 8_192;

		private final Socket socket = new Socket();

		private final InputStream in;

		private final byte[] request;

		private long freeSinceNanos;

		Connection(URI target, int answerMillis) throws IOException {
			this.request = "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n"
				.formatted(target.getRawPath(), target.getHost(), target.getPort())
				.getBytes(StandardCharsets.US_ASCII);
			try {
				this.socket.connect(new InetSocketAddress(target.getHost(), target.getPort()), CONNECT_MILLIS);
				this.socket.setTcpNoDelay(true);
				this.socket.setSoTimeout(answerMillis);
				this.in = new BufferedInputStream(this.socket.getInputStream());
			}
			catch (IOException ex) {
				close();
				throw ex;
			}
		}

		/** Whether the connection can be used again. */
		boolean exchange() throws IOException {
			this.socket.getOutputStream().write(this.request);
			String status = line();
			int length = 0;
			boolean kept = true;
			for (String header = line(); !header.isEmpty(); header = line()) {
				String lower = header.toLowerCase(Locale.ROOT);
				if (lower.startsWith("content-length:")) {
					length = Integer.parseInt(lower.substring("content-length:".length()).strip());
				}
				else if (lower.startsWith("transfer-encoding:")) {
					throw new IOException("answers in chunks are not understood");
				}
				kept = kept && !lower.equals("connection: close");
			}
			this.in.skipNBytes(length);
			if (!status.startsWith("HTTP/1.1 2")) {
				throw new IOException(status);
			}
			return kept;
		}

		private String line() throws IOException {
			StringBuilder line = new StringBuilder();
			for (int c = this.in.read(); c != '\n'; c = this.in.read()) {
				if (c < 0 || line.length() > LONGEST_LINE) {
					throw new IOException("the connection ended before the answer did");
				}
				if (c != '\r') {
					line.append((char) c);
				}
			}
			return line.toString();
		}

		void close() {
			try {
				this.socket.close();
			}
			catch (IOException ex) {
				throw new IllegalStateException("a socket cannot be closed", ex);
			}
		}

	}

}
