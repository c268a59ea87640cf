package dev.sluice.lab.kit.stack;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The client's end of an HTTP/1.1 connection, byte for byte: it can also send what no
 * HTTP client would. One deadline covers reading a whole answer. Not thread-safe. Blocks
 * its thread, preferably a virtual one.
 */
public final class RawConnection implements AutoCloseable {

	private static final int CONNECT_MILLIS = 10_000;

	/** A gateway sends no longer lines or bodies. */
	private static final int MAX_LINE = 16 * 1024;

	private static final int MAX_BODY = 1024 * 1024;

	private static final int CONTINUE = 100;

	private static final int NO_CONTENT = 204;

	private static final int UNAVAILABLE = 503;

	private static final String RETRY_AFTER = "retry-after";

	private final Socket socket;

	private final InputStream in;

	private long deadlineNanos;

	/** The result of waiting for an answer. */
	public sealed interface Reply {

		/**
		 * An answer.
		 *
		 * @param headers by name in lower case; the last one if a name is repeated
		 */
		record Answer(int status, Map<String, String> headers, String body) implements Reply {

			/** Whether it refuses the request for now and says when to retry. */
			public boolean isUnavailable() {
				return this.status == UNAVAILABLE && this.headers.getOrDefault(RETRY_AFTER, "").matches("[0-9]{1,4}");
			}

			/** The pause that it asks for; only if {@link #isUnavailable}. */
			public Duration retryAfter() {
				return Duration.ofSeconds(Integer.parseInt(Objects.requireNonNull(this.headers.get(RETRY_AFTER))));
			}

		}

		/** The connection was closed or reset before a whole answer. */
		record Closed() implements Reply {
		}

		/** Neither an answer nor a close before the deadline. */
		record Silent() implements Reply {
		}

		/** Bytes that are not an HTTP answer. */
		record Garbled(String what) implements Reply {
		}

	}

	private RawConnection(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(new Deadlined(socket.getInputStream()), 1024);
	}

	public static RawConnection open(URI uri) throws IOException {
		return open(uri, 0);
	}

	/**
	 * @param receiveBytes size of the receive buffer; 0 for the default
	 */
	public static RawConnection open(URI uri, int receiveBytes) throws IOException {
		Socket socket = new Socket();
		try {
			if (receiveBytes > 0) {
				socket.setReceiveBufferSize(receiveBytes);
			}
			socket.setTcpNoDelay(true);
			socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), CONNECT_MILLIS);
			return new RawConnection(socket);
		}
		catch (IOException ex) {
			socket.close();
			throw ex;
		}
	}

	public void send(byte[] bytes) throws IOException {
		this.socket.getOutputStream().write(bytes);
	}

	/** Half-closes the connection: nothing more is sent. */
	public void endOutput() throws IOException {
		this.socket.shutdownOutput();
	}

	/** Waits for one answer, skipping {@code 100 Continue}. */
	public Reply receive(long timeoutMillis) {
		return receive(timeoutMillis, false);
	}

	/**
	 * @param headOnly whether the answer has no body whatever its headers say, as one to
	 * HEAD
	 */
	public Reply receive(long timeoutMillis, boolean headOnly) {
		this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
		try {
			while (true) {
				String status = line();
				if (!status.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
					return new Reply.Garbled(status);
				}
				int code = Integer.parseInt(status.substring(9, 12));
				Map<String, String> headers = headers();
				if (code != CONTINUE) {
					return new Reply.Answer(code, headers, headOnly ? "" : body(code, headers));
				}
			}
		}
		catch (SocketTimeoutException _) {
			return new Reply.Silent();
		}
		catch (BadAnswerException ex) {
			return new Reply.Garbled(String.valueOf(ex.getMessage()));
		}
		catch (IOException _) {
			return new Reply.Closed();
		}
	}

	private Map<String, String> headers() throws IOException {
		Map<String, String> headers = new HashMap<>();
		for (String line = line(); !line.isEmpty(); line = line()) {
			int colon = line.indexOf(':');
			if (colon <= 0) {
				throw new BadAnswerException("header line " + line);
			}
			headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
		}
		return headers;
	}

	private String body(int status, Map<String, String> headers) throws IOException {
		if (status == NO_CONTENT) {
			return "";
		}
		byte[] body;
		@Nullable String length = headers.get("content-length");
		if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
			body = chunks();
		}
		else if (length != null) {
			body = exactly(size(length, 10));
		}
		else {
			body = this.in.readNBytes(MAX_BODY);
		}
		return new String(body, StandardCharsets.UTF_8);
	}

	private byte[] chunks() throws IOException {
		byte[] body = {};
		while (true) {
			int size = size(line(), 16);
			byte[] chunk = exactly(size);
			line();
			if (size == 0) {
				return body;
			}
			byte[] longer = new byte[body.length + size];
			System.arraycopy(body, 0, longer, 0, body.length);
			System.arraycopy(chunk, 0, longer, body.length, size);
			body = longer;
		}
	}

	private static int size(String text, int radix) throws IOException {
		try {
			int size = Integer.parseInt(text, radix);
			if (size >= 0 && size <= MAX_BODY) {
				return size;
			}
		}
		catch (NumberFormatException _) {
			// Not a number: fails below.
		}
		throw new BadAnswerException("length " + text);
	}

	private byte[] exactly(int size) throws IOException {
		byte[] bytes = this.in.readNBytes(size);
		if (bytes.length < size) {
			throw new EOFException();
		}
		return bytes;
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			if (line.length() > MAX_LINE) {
				throw new BadAnswerException("a line without end");
			}
			line.append((char) next);
		}
		return line.toString().stripTrailing();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	private static final class BadAnswerException extends IOException {

		private static final long serialVersionUID = 1L;

		BadAnswerException(String what) {
			super(what);
		}

	}

	/** Each read waits no longer than the rest of the common deadline. */
	private final class Deadlined extends InputStream {

		private final InputStream stream;

		Deadlined(InputStream stream) {
			this.stream = stream;
		}

		@Override
		public int read() throws IOException {
			await();
			return this.stream.read();
		}

		@Override
		public int read(byte[] into, int offset, int length) throws IOException {
			await();
			return this.stream.read(into, offset, length);
		}

		private void await() throws IOException {
			long left = TimeUnit.NANOSECONDS.toMillis(RawConnection.this.deadlineNanos - System.nanoTime());
			if (left <= 0) {
				throw new SocketTimeoutException("the time is over");
			}
			RawConnection.this.socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
		}

	}

}
