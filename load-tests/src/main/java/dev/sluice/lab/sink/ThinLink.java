package dev.sluice.lab.sink;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A thin link: forwards TCP connections to a port of this machine, in each direction at a
 * rate that all connections share. It works on TCP payloads, so the rate excludes
 * headers, and handshakes and losses are not those of a real link.
 */
final class ThinLink implements AutoCloseable {

	private static final int CHUNK_BYTES = 4 * 1024;

	private final ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());

	/** Interrupting a virtual thread closes the socket that it waits for. */
	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

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

	/** Starts listening; lets so much pass in each direction. */
	ThinLink(long bitsPerSecond, int sinkPort) throws IOException {
		Pacer forward = new Pacer(8e9 / bitsPerSecond);
		Pacer backward = new Pacer(8e9 / bitsPerSecond);
		this.threads.submit(() -> {
			while (!this.server.isClosed()) {
				connect(this.server.accept(), sinkPort, forward, backward);
			}
			return null;
		});
	}

	/** Address of the link for clients, {@code host:port}. */
	String target() {
		return "127.0.0.1:" + this.server.getLocalPort();
	}

	private void connect(Socket client, int sinkPort, Pacer forward, Pacer backward) throws IOException {
		try {
			Socket sink = new Socket(InetAddress.getLoopbackAddress(), sinkPort);
			sink.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			this.threads.submit(() -> pass(client, sink, forward));
			this.threads.submit(() -> pass(sink, client, backward));
		}
		catch (IOException _) {
			// The client sees that nobody listens.
			client.close();
		}
	}

	/** Passes on what comes from one side until either ends, which ends both. */
	private static @Nullable Void pass(Socket from, Socket to, Pacer pacer) throws IOException, InterruptedException {
		try (from; to) {
			byte[] buffer = new byte[CHUNK_BYTES];
			for (int read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
				pacer.send(read);
				to.getOutputStream().write(buffer, 0, read);
			}
			return null;
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		this.threads.shutdownNow();
	}

}
