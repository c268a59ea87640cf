package dev.sluice.lab.sink;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

import dev.sluice.devservices.JavaProcess;
import org.jspecify.annotations.Nullable;

/**
 * A thin link: passes TCP connections on to a port of this machine, with a delay and with
 * a rate that all connections share, each direction for itself. It works on what TCP
 * carries, so its rate is that of payloads of TCP, and neither handshakes nor losses are
 * those of a real link. Bound: what is on its way, some 256 KB for each connection and
 * direction.
 */
final class ProxyLink implements SinkLink {

	private static final String LOOPBACK = "127.0.0.1";

	private static final int CHUNK_BYTES = 4 * 1024;

	private static final int QUEUE_BYTES = 256 * 1024;

	private final int sinkPort;

	private final String because;

	private final long delayNanos;

	private final Lane there;

	private final Lane back;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** Bytes and when they are due at the other end; no bytes: the end. */
	private record Chunk(byte[] bytes, long dueAt) {
	}

	/**
	 * Listens.
	 * @param because why it is no device, for the report
	 */
	ProxyLink(Character character, int sinkPort, String because) throws IOException {
		this.because = because;
		this.sinkPort = sinkPort;
		this.delayNanos = character.delayNanos();
		this.there = new Lane(character.nanosPerByte());
		this.back = new Lane(character.nanosPerByte());
		this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().name("link").start(this::accept);
	}

	@Override
	public String sinkAddress() {
		return LOOPBACK;
	}

	@Override
	public String target() {
		return LOOPBACK + ":" + this.server.getLocalPort();
	}

	@Override
	public JavaProcess launch(JavaProcess.Builder client) {
		return client.launch();
	}

	@Override
	public String words() {
		return "a delaying proxy%s: handshakes are local, nothing is lost, its rate is that of what TCP carries"
			.formatted(this.because);
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
			join(client, sink, this.there);
			join(sink, client, this.back);
		}
		catch (IOException _) {
			// It came to nothing, and its client must see that.
			close(client);
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
		this.sockets.forEach(ProxyLink::close);
	}

}
