package dev.sluice.contract;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import dev.sluice.devservices.Patience;

/**
 * An HTTP/2 connection over TLS that sends frames unchecked, so that a test can send what
 * no HTTP client sends. Not thread-safe.
 */
final class RawHttp2Client implements AutoCloseable {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

	/** Error code of a stream that was refused before any processing. */
	static final int REFUSED_STREAM = 7;

	static final int DATA = 0;

	static final int HEADERS = 1;

	static final int RST_STREAM = 3;

	static final int SETTINGS = 4;

	static final int PING = 6;

	static final int WINDOW_UPDATE = 8;

	static final int CONTINUATION = 9;

	private static final int ACK = 1;

	static final int END_STREAM = 1;

	private static final int END_HEADERS = 4;

	private static final int HEADER_TABLE_SIZE = 1;

	private static final int INITIAL_WINDOW_SIZE = 4;

	/** The largest frame that a client may send, in bytes. */
	private static final int MAX_FRAME_BYTES = 16 * 1024;

	private final SSLSocket socket;

	private final DataInputStream in;

	private final DataOutputStream out;

	/** The first error code of each stream. */
	private final Map<Integer, Integer> resets = new HashMap<>();

	/** The status of each stream that is answered. */
	private final Map<Integer, Integer> statuses = new HashMap<>();

	private final Map<Integer, String> bodies = new HashMap<>();

	private final Set<Integer> ended = new HashSet<>();

	private int nextStream = 1;

	/** Answers to pings. */
	private int pongs;

	/**
	 * Connects.
	 * @param windowBytes bytes of an answer that the gateway may send before they are
	 * read
	 */
	RawHttp2Client(URI gateway, SSLContext trusting, int windowBytes) throws IOException {
		this.socket = (SSLSocket) trusting.getSocketFactory().createSocket(gateway.getHost(), gateway.getPort());
		SSLParameters parameters = this.socket.getSSLParameters();
		parameters.setApplicationProtocols(new String[] { "h2" });
		this.socket.setSSLParameters(parameters);
		this.in = new DataInputStream(this.socket.getInputStream());
		this.out = new DataOutputStream(new BufferedOutputStream(this.socket.getOutputStream()));
		this.out.write(PREFACE);
		frame(SETTINGS, 0, 0,
				// No dynamic table, so every answer contains its status.
				ByteBuffer.allocate(12)
					.putShort((short) HEADER_TABLE_SIZE)
					.putInt(0)
					.putShort((short) INITIAL_WINDOW_SIZE)
					.putInt(windowBytes)
					.array());
		this.out.flush();
	}

	/**
	 * Sends the head of a request.
	 * @param bodyBytes announced length of its body, 0 = it has none
	 * @return its stream
	 */
	int head(String method, String path, int bodyBytes) throws IOException {
		int stream = write(method, path, bodyBytes);
		this.out.flush();
		return stream;
	}

	/**
	 * Sends a whole request at once: its body has arrived when its head is read.
	 * @param body JSON, at most one frame
	 * @return its stream
	 */
	int request(String method, String path, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		int stream = write(method, path, bytes.length);
		if (bytes.length > 0) {
			frame(DATA, END_STREAM, stream, bytes);
		}
		this.out.flush();
		return stream;
	}

	/**
	 * Sends a request without a body, with unchecked fields.
	 * @param fields names and values, one after the other, the pseudo fields first
	 * @return its stream
	 */
	int fields(String... fields) throws IOException {
		int stream = write(0, fields);
		this.out.flush();
		return stream;
	}

	private int write(String method, String path, int bodyBytes) throws IOException {
		List<String> fields = new ArrayList<>(
				List.of(":method", method, ":scheme", "https", ":authority", "localhost", ":path", path));
		if (bodyBytes > 0) {
			fields.addAll(List.of("content-type", "application/json", "content-length", Integer.toString(bodyBytes)));
		}
		return write(bodyBytes, fields.toArray(String[]::new));
	}

	private int write(int bodyBytes, String... fields) throws IOException {
		ByteArrayOutputStream block = new ByteArrayOutputStream();
		for (int i = 0; i < fields.length; i += 2) {
			field(block, fields[i], fields[i + 1]);
		}
		int stream = this.nextStream;
		ByteBuffer rest = ByteBuffer.wrap(block.toByteArray());
		int type = HEADERS;
		int flags = (bodyBytes == 0) ? END_STREAM : 0;
		do {
			byte[] part = new byte[Math.min(rest.remaining(), MAX_FRAME_BYTES)];
			rest.get(part);
			frame(type, rest.hasRemaining() ? flags : flags | END_HEADERS, stream, part);
			type = CONTINUATION;
			flags = 0;
		}
		while (rest.hasRemaining());
		this.nextStream += 2;
		return stream;
	}

	/** Sends a frame, even if it breaks the rules of HTTP/2. */
	void send(int type, int flags, int stream, byte... payload) throws IOException {
		frame(type, flags, stream, payload);
		this.out.flush();
	}

	/** Closes with a reset instead of a regular end. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	/** A literal field, not indexed and not compressed. */
	private static void field(ByteArrayOutputStream block, String name, String value) {
		block.write(0);
		text(block, name);
		text(block, value);
	}

	/** Writes a string, after its length as an integer with a prefix of seven bits. */
	private static void text(ByteArrayOutputStream block, String text) {
		int length = text.length();
		block.write(Math.min(length, 0x7f));
		if (length >= 0x7f) {
			int rest = length - 0x7f;
			for (; rest >= 0x80; rest >>= 7) {
				block.write(rest & 0x7f | 0x80);
			}
			block.write(rest);
		}
		block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
		this.out.writeByte(payload.length >> 16);
		this.out.writeShort(payload.length);
		this.out.writeByte(type);
		this.out.writeByte(flags);
		this.out.writeInt(stream);
		this.out.write(payload);
	}

	/**
	 * Reads until the gateway has answered everything that was sent before.
	 * @return how many streams are open: not reset, and their connection not closed
	 */
	int openStreams() throws IOException {
		return readToBarrier() ? this.nextStream / 2 - this.resets.size() : 0;
	}

	/**
	 * Reads frames until none arrives for a time.
	 * @return how many streams are open: not reset, and their connection not closed
	 */
	int openStreams(Duration quiet) throws IOException {
		return read(quiet) ? this.nextStream / 2 - this.resets.size() : 0;
	}

	/**
	 * Reads frames until none arrives for a time.
	 * @return the error code with which a stream was reset first, empty if it was not
	 */
	OptionalInt resetOf(int stream, Duration quiet) throws IOException {
		read(quiet);
		Integer code = this.resets.get(stream);
		return (code != null) ? OptionalInt.of(code) : OptionalInt.empty();
	}

	/**
	 * Sends a ping and reads up to its answer, which comes after all resets of earlier
	 * streams; false if the connection has ended.
	 */
	private boolean readToBarrier() throws IOException {
		int expected = this.pongs + 1;
		try {
			send(PING, 0, 0, new byte[8]);
		}
		catch (SocketException | SSLException ex) {
			return false;
		}
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (this.pongs < expected) {
			if (System.nanoTime() - deadline > 0) {
				throw new SocketTimeoutException("No answer to a ping");
			}
			if (!read(Duration.ofMillis(50))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Reads frames until a stream has ended, or its connection.
	 * @return the outcome; status 0 if the stream was not answered but reset, or the
	 * connection was closed
	 */
	Outcome outcomeOf(int stream, Duration patience) throws IOException {
		boolean open = true;
		long deadline = System.nanoTime() + patience.toNanos();
		while (open && !this.ended.contains(stream) && !this.resets.containsKey(stream)) {
			if (System.nanoTime() - deadline > 0) {
				throw new SocketTimeoutException("Stream " + stream + " has no end");
			}
			open = read(Duration.ofMillis(50));
		}
		return new Outcome(this.statuses.getOrDefault(stream, 0), this.bodies.getOrDefault(stream, ""));
	}

	/** Reads frames until none arrives for a time; false if the connection has ended. */
	private boolean read(Duration quiet) throws IOException {
		this.socket.setSoTimeout((int) quiet.toMillis());
		try {
			while (true) {
				int length = this.in.readUnsignedByte() << 16 | this.in.readUnsignedShort();
				int type = this.in.readUnsignedByte();
				int flags = this.in.readUnsignedByte();
				int stream = this.in.readInt();
				if (type == RST_STREAM) {
					this.resets.putIfAbsent(stream, this.in.readInt());
					continue;
				}
				byte[] payload = this.in.readNBytes(length);
				if (type == HEADERS) {
					this.statuses.putIfAbsent(stream, status(payload));
				}
				else if (type == DATA) {
					this.bodies.merge(stream, new String(payload, StandardCharsets.UTF_8), String::concat);
				}
				if ((type == HEADERS || type == DATA) && (flags & END_STREAM) != 0) {
					this.ended.add(stream);
				}
				if (type == SETTINGS && flags != ACK) {
					send(SETTINGS, ACK, 0);
				}
				if (type == PING && flags == ACK) {
					this.pongs++;
				}
			}
		}
		catch (SocketTimeoutException ex) {
			return true;
		}
		catch (EOFException | SocketException | SSLException ex) {
			return false;
		}
	}

	/**
	 * The status, which is the first field of an answer: one of the static table, or a
	 * literal of three digits, in Huffman's code or not (RFC 7541).
	 */
	private static int status(byte[] block) {
		ByteBuffer bytes = ByteBuffer.wrap(block);
		int first = bytes.get();
		while ((first & 0xe0) == 0x20) {
			// The size of the dynamic table.
			boolean more = (first & 0x1f) == 0x1f;
			while (more) {
				more = bytes.get() < 0;
			}
			first = bytes.get();
		}
		if (first < 0) {
			return List.of(200, 204, 206, 304, 400, 404, 500).get((first & 0x7f) - 8);
		}
		int length = bytes.get();
		StringBuilder bits = new StringBuilder();
		for (int i = 0; i < (length & 0x7f); i++) {
			bits.append(Integer.toBinaryString(bytes.get() & 0xff | 0x100).substring(1));
		}
		int status = 0;
		for (int digit = 0, at = 0; digit < 3; digit++) {
			if (length >= 0) {
				status = 10 * status + Integer.parseInt(bits.substring(at, at += 8), 2) - '0';
			}
			else {
				// 0, 1 and 2 have five bits, the others six, from 011001 on.
				int five = Integer.parseInt(bits.substring(at, at + 5), 2);
				status = 10 * status
						+ ((five < 3) ? five : Integer.parseInt(bits.substring(at, at + 6), 2) - 0b011001 + 3);
				at += (five < 3) ? 5 : 6;
			}
		}
		return status;
	}

	/**
	 * The outcome of a stream.
	 *
	 * @param status the answer's status, 0 if there was none
	 * @param body the answer's body
	 */
	record Outcome(int status, String body) {
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
