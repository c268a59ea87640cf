package dev.sluice.lab.pool;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A connection to an HTTP/1.1 server that states the length of its answers, as the
 * backend does; each message is a GET. Used by one thread at a time.
 */
final class HttpLink {

	private static final int CONNECT_MILLIS = 10_000;

	private static final int MAX_LINE = 16 * 1024;

	private final Socket socket;

	private final InputStream in;

	private final byte[] request;

	private volatile long lastUsedNanos = System.nanoTime();

	private HttpLink(Socket socket, byte[] request) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream(), 1024);
		this.request = request;
	}

	/**
	 * Connects.
	 * @param target http URI that each message asks for
	 * @param answerMillis time limit of each answer, in milliseconds
	 */
	static HttpLink open(URI target, int answerMillis) throws IOException {
		String resource = (target.getRawQuery() != null) ? target.getRawPath() + "?" + target.getRawQuery()
				: target.getRawPath();
		Socket socket = new Socket();
		try {
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(answerMillis);
			socket.connect(new InetSocketAddress(target.getHost(), target.getPort()), CONNECT_MILLIS);
			return new HttpLink(socket,
					"GET %s HTTP/1.1\r\nHost: %s:%s\r\n\r\n".formatted(resource, target.getHost(), target.getPort())
						.getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			socket.close();
			throw ex;
		}
	}

	/**
	 * Sends a message and waits for the answer.
	 * @return whether the connection can be used again
	 * @throws IOException if there is no answer, or it is an error
	 */
	boolean exchange() throws IOException {
		this.socket.getOutputStream().write(this.request);
		String status = line();
		if (!status.matches("HTTP/1\\.[01] 2\\d\\d( .*)?")) {
			throw new IOException("no success: " + status);
		}
		int length = -1;
		boolean reusable = true;
		for (String line = line(); !line.isEmpty(); line = line()) {
			String[] header = line.toLowerCase(Locale.ROOT).split(":\\s*", 2);
			switch (header[0]) {
				case "content-length" -> length = length(header[1]);
				case "connection" -> reusable = !header[1].equals("close");
				default -> {
					// Says nothing about the connection.
				}
			}
		}
		if (length < 0) {
			throw new IOException("an answer without Content-Length");
		}
		this.in.skipNBytes(length);
		this.lastUsedNanos = System.nanoTime();
		return reusable;
	}

	private static int length(String text) throws IOException {
		try {
			return Integer.parseUnsignedInt(text);
		}
		catch (NumberFormatException ex) {
			throw new IOException("no length: " + text, ex);
		}
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			if (line.length() > MAX_LINE) {
				throw new IOException("a line without end");
			}
			line.append((char) next);
		}
		return line.toString().stripTrailing();
	}

	/** When the last answer was read, of {@link System#nanoTime}. */
	long lastUsedNanos() {
		return this.lastUsedNanos;
	}

	/** May be called by any thread. */
	void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException("a socket cannot be closed", ex);
		}
	}

}
