package dev.sluice.lab.experiment;

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
 * A thin link: passes TCP connections on to a port of this machine, with a delay and with
 * a rate that all connections share, each direction for itself. It works on what TCP
 * carries, so its rate is that of payloads of TCP, and neither handshakes nor losses are
 * those of a real link. Bound: what is on its way, some 256 KB for each connection and
 * direction.
 */
final class SinkLink implements AutoCloseable {

	private static final int CHUNK_BYTES = 4 * 1024;

	private static final int QUEUE_BYTES = 256 * 1024;

	private final int target;

	private final long delayNanos;

	private final Lane there;

	private final Lane back;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** Bytes and when they are due at the other end; no bytes: the end. */
	private record Chunk(byte[] bytes, long dueAt) {
	}

	/** One direction: hands out the time at which bytes have left. */
	private static final class Lane {

		private final double nanosPerByte;

		private long freeAt = System.nanoTime();

		Lane(long bitsPerSecond) {
			this.nanosPerByte = 8e9 / bitsPerSecond;
		}

		synchronized long leave(int bytes) {
			this.freeAt = Math.max(this.freeAt, System.nanoTime()) + (long) (bytes * this.nanosPerByte);
			return this.freeAt;
		}

	}

	SinkLink(int target, long bitsPerSecond, Duration roundTrip) throws IOException {
		this.target = target;
		this.delayNanos = roundTrip.toNanos() / 2;
		this.there = new Lane(bitsPerSecond);
		this.back = new Lane(bitsPerSecond);
		this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().name("link").start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				this.sockets.add(client);
				Socket sink = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.sockets.add(sink);
				join(client, sink, this.there);
				join(sink, client, this.back);
			}
			catch (IOException _) {
				// Closed; or a connection that came to nothing, which its client sees.
			}
		}
	}

	private void join(Socket from, Socket to, Lane lane) throws IOException {
		from.setTcpNoDelay(true);
		to.setTcpNoDelay(true);
		BlockingQueue<Chunk> onItsWay = new LinkedBlockingQueue<>();
		Semaphore room = new Semaphore(QUEUE_BYTES);
		Thread.ofPlatform().daemon().name("link-in").start(() -> take(from, lane, onItsWay, room));
		Thread.ofPlatform().daemon().name("link-out").start(() -> give(to, onItsWay, room));
	}

	private void take(Socket from, Lane lane, BlockingQueue<Chunk> onItsWay, Semaphore room) {
		byte[] buffer = new byte[CHUNK_BYTES];
		try (InputStream in = from.getInputStream()) {
			int read = in.read(buffer);
			while (read >= 0) {
				room.acquire(read);
				onItsWay.add(new Chunk(Arrays.copyOf(buffer, read), lane.leave(read) + this.delayNanos));
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
			// It is of no use either way.
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		this.sockets.forEach(SinkLink::close);
	}

}
