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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One connection of HTTP/2 over TLS that sends frames as they are, so that a test can do
 * what no HTTP client does. Not thread-safe.
 */
final class RawHttp2Client implements AutoCloseable {

	private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

	/** Error code of a stream that was refused before anything was done for it. */
	static final int REFUSED_STREAM = 7;

	static final int DATA = 0;

	static final int HEADERS = 1;

	static final int RST_STREAM = 3;

	static final int SETTINGS = 4;

	static final int PING = 6;

	static final int WINDOW_UPDATE = 8;

	static final int CONTINUATION = 9;

	private static final int ACK = 1;

	private static final int END_STREAM = 1;

	private static final int END_HEADERS = 4;

	private static final int INITIAL_WINDOW_SIZE = 4;

	private final SSLSocket socket;

	private final DataInputStream in;

	private final DataOutputStream out;

	/** The first error code of each stream. */
	private final Map<Integer, Integer> resets = new HashMap<>();

	private int nextStream = 1;

	/**
	 * Connects.
	 * @param windowBytes what the gateway may send of an answer before it is read
	 */
	RawHttp2Client(URI gateway, SSLContext trusting, int windowBytes) throws IOException {
		this.socket = (SSLSocket) trusting.getSocketFactory().createSocket(gateway.getHost(), gateway.getPort());
		SSLParameters parameters = this.socket.getSSLParameters();
		parameters.setApplicationProtocols(new String[] { "h2" });
		this.socket.setSSLParameters(parameters);
		this.in = new DataInputStream(this.socket.getInputStream());
		this.out = new DataOutputStream(new BufferedOutputStream(this.socket.getOutputStream()));
		this.out.write(PREFACE);
		ByteArrayOutputStream window = new ByteArrayOutputStream();
		new DataOutputStream(window).writeShort(INITIAL_WINDOW_SIZE);
		new DataOutputStream(window).writeInt(windowBytes);
		frame(SETTINGS, 0, 0, window.toByteArray());
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
	 * Sends a whole request at once: its body is there when its head is read.
	 * @param body of JSON, at most one frame
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

	private int write(String method, String path, int bodyBytes) throws IOException {
		ByteArrayOutputStream block = new ByteArrayOutputStream();
		field(block, ":method", method);
		field(block, ":scheme", "https");
		field(block, ":authority", "localhost");
		field(block, ":path", path);
		if (bodyBytes > 0) {
			field(block, "content-type", "application/json");
			field(block, "content-length", Integer.toString(bodyBytes));
		}
		int stream = this.nextStream;
		frame(HEADERS, END_HEADERS | ((bodyBytes == 0) ? END_STREAM : 0), stream, block.toByteArray());
		this.nextStream += 2;
		return stream;
	}

	/** Sends a frame, whatever the rules of HTTP/2 say of it. */
	void send(int type, int flags, int stream, byte... payload) throws IOException {
		frame(type, flags, stream, payload);
		this.out.flush();
	}

	/** Closes with a reset instead of an end. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	/** A literal field, not indexed and not compressed. */
	private static void field(ByteArrayOutputStream block, String name, String value) {
		block.write(0);
		block.write(name.length());
		block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
		block.write(value.length());
		block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
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
	 * Reads frames until none has come for a time.
	 * @return how many streams are open: not reset, and their connection not closed
	 */
	int openStreams(Duration quiet) throws IOException {
		return read(quiet) ? this.nextStream / 2 - this.resets.size() : 0;
	}

	/**
	 * Reads frames until none has come for a time.
	 * @return the error code with which a stream was reset first, empty if it was not
	 */
	OptionalInt resetOf(int stream, Duration quiet) throws IOException {
		read(quiet);
		Integer code = this.resets.get(stream);
		return (code != null) ? OptionalInt.of(code) : OptionalInt.empty();
	}

	/** Reads frames until none has come for a time; false if the connection has ended. */
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
				this.in.skipNBytes(length);
				if (type == SETTINGS && flags != ACK) {
					send(SETTINGS, ACK, 0);
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

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
