package dev.sluice.sink.ordeal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy to a port of this machine. A test can cut its connections at any moment.
 */
final class Cuttable implements AutoCloseable {

	private final int target;

	private final ServerSocket server;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	Cuttable(int target) throws IOException {
		this.target = target;
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		Thread.ofVirtual().start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				this.sockets.add(client);
				Thread.ofVirtual().start(() -> connect(client));
			}
			catch (IOException _) {
				// Closed; or one connection that failed, which its client notices.
			}
		}
	}

	private void connect(Socket client) {
		try {
			Socket sink = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.add(sink);
			Thread.ofVirtual().start(() -> pass(client, sink));
			pass(sink, client);
		}
		catch (IOException _) {
			close(client);
		}
	}

	private void pass(Socket from, Socket to) {
		try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			in.transferTo(out);
		}
		catch (IOException _) {
			// Cut.
		}
		finally {
			close(from);
			close(to);
		}
	}

	/** Resets all connections: bytes in transit are lost, in both directions. */
	int cut() {
		int cut = this.sockets.size();
		this.sockets.forEach((socket) -> {
			try {
				socket.setSoLinger(true, 0);
			}
			catch (IOException _) {
				// Closed already.
			}
			close(socket);
		});
		return cut / 2;
	}

	private void close(Socket socket) {
		this.sockets.remove(socket);
		try {
			socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		cut();
	}

}
