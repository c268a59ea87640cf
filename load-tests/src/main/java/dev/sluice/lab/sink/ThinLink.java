package dev.sluice.lab.sink;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A thin link: forwards TCP connections to a port of this machine, in each direction at a
 * rate that all connections share. It works on TCP payloads, so the rate excludes
 * headers, and handshakes and losses are not those of a real link.
 */
final class ThinLink implements AutoCloseable {

	private static final String LOOPBACK = "127.0.0.1";

	private static final int CHUNK_BYTES = 4 * 1024;

	private final int sinkPort;

	private final Pacer forward;

	private final Pacer backward;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/** Paces one direction. Thread-safe. */
	private static final class Pacer {

		private final double nanosPerByte;

		private long freeAt = System.nanoTime();

		Pacer(double nanosPerByte) {
			this.nanosPerByte = nanosPerByte;
		}

		/** Returns when this many more bytes have left. */
		void send(int bytes) throws InterruptedException {
			TimeUnit.NANOSECONDS.sleep(sentAt(bytes) - System.nanoTime());
		}

		private synchronized long sentAt(int bytes) {
			this.freeAt = Math.max(this.freeAt, System.nanoTime()) + (long) (bytes * this.nanosPerByte);
			return this.freeAt;
		}

	}

	/**
	 * Starts listening.
	 * @param bitsPerSecond rate in each direction
	 */
	ThinLink(long bitsPerSecond, int sinkPort) throws IOException {
		this.sinkPort = sinkPort;
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
		to.setTcpNoDelay(true);
		Thread.ofVirtual().name("link").start(() -> pass(from, to, pacer));
	}

	/** Passes on what comes from one side; its end ends the other side, too. */
	private void pass(Socket from, Socket to, Pacer pacer) {
		byte[] buffer = new byte[CHUNK_BYTES];
		try {
			for (int read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
				pacer.send(read);
				to.getOutputStream().write(buffer, 0, read);
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
