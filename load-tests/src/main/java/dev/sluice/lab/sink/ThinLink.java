package dev.sluice.lab.sink;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

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

	/** Bytes and when they are due at the other end; empty at the end of the stream. */
	private record Chunk(byte[] bytes, long dueAt) {
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
		BlockingQueue<Chunk> onItsWay = new LinkedBlockingQueue<>();
		Semaphore room = new Semaphore(QUEUE_BYTES);
		Thread.ofPlatform().daemon().name("link-in").start(() -> take(from, pacer, onItsWay, room));
		Thread.ofPlatform().daemon().name("link-out").start(() -> give(to, onItsWay, room));
	}

	private void take(Socket from, Pacer pacer, BlockingQueue<Chunk> onItsWay, Semaphore room) {
		byte[] buffer = new byte[CHUNK_BYTES];
		try (InputStream in = from.getInputStream()) {
			int read = in.read(buffer);
			while (read >= 0) {
				room.acquire(read);
				onItsWay.add(new Chunk(Arrays.copyOf(buffer, read), pacer.sent(read) + this.delayNanos));
				read = in.read(buffer);
			}
		}
		catch (IOException _) {
			// The connection has ended.
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		onItsWay.add(new Chunk(new byte[0], System.nanoTime()));
	}

	private void give(Socket to, BlockingQueue<Chunk> onItsWay, Semaphore room) {
		try (OutputStream out = to.getOutputStream()) {
			Chunk next = onItsWay.take();
			while (next.bytes().length > 0) {
				LockSupport.parkNanos(next.dueAt() - System.nanoTime());
				if (next.dueAt() - System.nanoTime() <= 0) {
					out.write(next.bytes());
					room.release(next.bytes().length);
					next = onItsWay.take();
				}
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

	private static void close(@Nullable Socket socket) {
		try {
			if (socket != null) {
				socket.close();
			}
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
