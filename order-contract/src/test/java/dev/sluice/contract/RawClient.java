package dev.sluice.contract;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.jayway.jsonpath.JsonPath;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection to a gateway that sends bytes unchecked, so that a test can send what no
 * HTTP client sends. Not thread-safe.
 */
final class RawClient implements AutoCloseable {

	private final Socket socket;

	private final InputStream in;

	private RawClient(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	/** A connection on which each read waits for at most the given time. */
	static RawClient connect(URI gateway, Duration patience) throws IOException {
		Socket socket = new Socket(gateway.getHost(), gateway.getPort());
		socket.setSoTimeout((int) patience.toMillis());
		socket.setTcpNoDelay(true);
		return new RawClient(socket);
	}

	RawClient send(String text) throws IOException {
		return send(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	RawClient send(byte[] bytes) throws IOException {
		this.socket.getOutputStream().write(bytes);
		this.socket.getOutputStream().flush();
		return this;
	}

	/**
	 * Sends bytes if the gateway still reads: it may already have answered and closed.
	 */
	RawClient sendWhatIsRead(byte[] bytes) {
		try {
			return send(bytes);
		}
		catch (IOException ex) {
			return this;
		}
	}

	/** Reads the interim answer that asks for the body. */
	void awaitContinue() throws IOException {
		String status = line();
		if (!status.contains(" 100") || !line().isEmpty()) {
			throw new IOException("No 100 but " + status);
		}
	}

	/** Reads one answer. */
	Answer answer() throws IOException {
		int status = Integer.parseInt(line().split(" ")[1]);
		List<String> headers = new ArrayList<>();
		for (String line = line(); !line.isEmpty(); line = line()) {
			int colon = line.indexOf(':');
			headers.add(line.substring(0, colon).toLowerCase(Locale.ROOT) + line.substring(colon));
		}
		if (status < 200) {
			return answer();
		}
		return new Answer(status, headers, body(headers));
	}

	private String body(List<String> headers) throws IOException {
		for (String header : headers) {
			if (header.startsWith("content-length: ")) {
				return text(Integer.parseInt(header.substring("content-length: ".length())));
			}
			if (header.equals("transfer-encoding: chunked")) {
				StringBuilder body = new StringBuilder();
				for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
					body.append(text(size));
					line();
				}
				line();
				return body.toString();
			}
		}
		return new String(this.in.readAllBytes(), StandardCharsets.UTF_8);
	}

	private String text(int length) throws IOException {
		byte[] bytes = this.in.readNBytes(length);
		if (bytes.length < length) {
			throw new EOFException("The connection ended within a body");
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private String line() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.in.read(); next != '\n'; next = this.in.read()) {
			if (next < 0) {
				throw new EOFException("The connection ended within a line: " + line);
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.ISO_8859_1);
	}

	/** Whether the gateway has closed the connection. Sends an empty line to find out. */
	boolean isReset() {
		try {
			send("\r\n");
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	/** Reads until nothing arrives for a time, or the connection ends. */
	void readFor(Duration quiet) throws IOException {
		this.socket.setSoTimeout((int) quiet.toMillis());
		try {
			this.in.transferTo(OutputStream.nullOutputStream());
		}
		catch (SocketTimeoutException | SocketException ex) {
			// Quiet, or a reset.
		}
	}

	/** Reads everything up to the end of the connection. */
	String rest() throws IOException {
		return new String(this.in.readAllBytes(), StandardCharsets.ISO_8859_1);
	}

	/** Sends nothing more. */
	RawClient end() throws IOException {
		this.socket.shutdownOutput();
		return this;
	}

	/** Closes with a reset instead of a regular end. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	/** Whether the gateway closes the connection, and sends nothing more before. */
	boolean isClosed() throws IOException {
		try {
			return this.in.read() < 0;
		}
		catch (SocketException ex) {
			// A reset: it closed while bytes were still on their way.
			return true;
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	/**
	 * An answer.
	 *
	 * @param headers each as {@code name: value}, the name in lower case
	 */
	record Answer(int status, List<String> headers, String body) {

		void assertProblem(int expected, String type) {
			assertThat(this.status).as(this.body).isEqualTo(expected);
			assertThat(this.headers).contains("content-type: application/problem+json");
			assertThat(member("type")).isEqualTo("urn:sluice:problem:" + type);
		}

		/** A member of its JSON object. */
		String member(String name) {
			return JsonPath.read(this.body, "$." + name);
		}

	}

}
