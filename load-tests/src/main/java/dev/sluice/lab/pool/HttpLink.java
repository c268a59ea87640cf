package dev.sluice.lab.pool;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection to an HTTP server; each message is a GET. */
final class HttpLink implements Link {

	private static final int CONNECT_MILLIS = 10_000;

	private static final int LONGEST_LINE = 8_192;

	private final Socket socket = new Socket();

	private final InputStream in;

	private final byte[] request;

	private HttpLink(URI target, int answerMillis) throws IOException {
		this.request = "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n".formatted(
				(target.getRawQuery() != null) ? target.getRawPath() + "?" + target.getRawQuery() : target.getRawPath(),
				target.getHost(), target.getPort())
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

	/** Every message is a GET of this http URI. */
	static Opener to(URI target) {
		return (answerMillis) -> new HttpLink(target, answerMillis);
	}

	@Override
	public boolean exchange() throws IOException {
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

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException("a socket cannot be closed", ex);
		}
	}

}
