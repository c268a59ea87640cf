package dev.sluice.lab.sink;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A thin link: forwards TCP connections to a port of this machine with a delay and, in
 * each direction, a rate that all connections share. It works on TCP payloads, so the
 * rate excludes headers, and handshakes and losses are not those of a real link. Bounded:
 * some 256 KB in transit for each connection and direction.
 */
final class ThinLink implements AutoCloseable {

	private static final String LOOPBACK = "127.0.0.1";

	private static final int CHUNK_BYTES = 4 * 1024;

	private static final int QUEUE_BYTES = 256 * 1024;

	private final int sinkPort;

	private final long delayNanos;

	private final Pacer forward;

	private final Pacer backward;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** Paces one direction: the time at which bytes have left. Thread-safe. */
	private static final class Pacer {

		private final double nanosPerByte;

		private long freeAt = System.nanoTime();

		Pacer(double nanosPerByte) {
			this.nanosPerByte = nanosPerByte;
		}

		/** When this many more bytes will have left, by {@link System#nanoTime()}. */
		synchronized long sent(int bytes) {
			this.freeAt = Math.max(this.freeAt, System.nanoTime()) + (long) (bytes * this.nanosPerByte);
			return this.freeAt;
		}

	}

	/**
	 * Starts listening.
	 * @param bitsPerSecond rate in each direction
	 * @param roundTrip round-trip time, without the time to send
	 */
	ThinLink(long bitsPerSecond, Duration roundTrip, int sinkPort) throws IOException {
		this.sinkPort = sinkPort;
		this.delayNanos = roundTrip.toNanos() / 2;
		this.forward = new Pacer(8e9 / bitsPerSecond);
		this.backward = new Pacer(8e9 / bitsPerSecond);
		this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().name("link").start(this::accept);
	}

	/** Address of the link for clients, {@code host:port}. */
	String target() {
		return LOOPBACK + ":" + this.server.getLocalPort();
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				this.sockets.add(client);
				connect(client);
			}
			catch (IOException _) {
				// Closed.
			}
		}
	}

	private void connect(Socket client) {
		try {
			Socket sink = new Socket(InetAddress.getLoopbackAddress(), this.sinkPort);
			this.sockets.add(sink);
			join(client, sink, this.forward);
			join(sink, client, this.backward);
		}
		catch (IOException _) {
			// Connecting failed; tell the client by closing.
			close(client);
		}
	}

	private void join(Socket from, Socket to, Pacer pacer) throws IOException {
		from.setTcpNoDelay(true);
		to.setTcpNoDelay(true);
		Thread.ofVirtual().name("link").start(() -> pass(from, to, pacer));
	}

	/** Passes on what comes from one side, each chunk when it is due at the other. */
	private void pass(Socket from, Socket to, Pacer pacer) {
		Semaphore room = new Semaphore(QUEUE_BYTES);
		try (ExecutorService onItsWay = Executors.newSingleThreadExecutor(Thread.ofVirtual().factory())) {
			byte[] buffer = new byte[CHUNK_BYTES];
			for (int read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
				room.acquire(read);
				byte[] chunk = Arrays.copyOf(buffer, read);
				long dueAt = pacer.sent(read) + this.delayNanos;
				onItsWay.execute(() -> {
					give(to, chunk, dueAt);
					room.release(chunk.length);
				});
			}
		}
		catch (IOException _) {
			// The connection has ended.
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		finally {
			close(to);
		}
	}

	private static void give(Socket to, byte[] chunk, long dueAt) {
		try {
			TimeUnit.NANOSECONDS.sleep(dueAt - System.nanoTime());
			to.getOutputStream().write(chunk);
		}
		catch (IOException _) {
			// Its other direction ends as well.
			close(to);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException _) {
			// The connection is useless either way.
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		this.sockets.forEach(ThinLink::close);
	}

}
