package dev.sluice.contract;

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
import java.util.HashSet;
import java.util.Set;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One connection of HTTP/2 over TLS that sends frames as they are, so that a test can do
 * what no HTTP client does. Not thread-safe.
 */
final class RawHttp2Client implements AutoCloseable {

	private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

	private static final int HEADERS = 1;

	private static final int RST_STREAM = 3;

	private static final int SETTINGS = 4;

	private static final int ACK = 1;

	private static final int END_STREAM = 1;

	private static final int END_HEADERS = 4;

	private static final int INITIAL_WINDOW_SIZE = 4;

	private final SSLSocket socket;

	private final DataInputStream in;

	private final DataOutputStream out;

	private final Set<Integer> reset = new HashSet<>();

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
		this.out = new DataOutputStream(this.socket.getOutputStream());
		this.out.write(PREFACE);
		ByteArrayOutputStream window = new ByteArrayOutputStream();
		new DataOutputStream(window).writeShort(INITIAL_WINDOW_SIZE);
		new DataOutputStream(window).writeInt(windowBytes);
		frame(SETTINGS, 0, 0, window.toByteArray());
	}

	/**
	 * Sends the head of a request.
	 * @param bodyBytes announced length of its body, 0 = it has none
	 */
	void head(String method, String path, int bodyBytes) throws IOException {
		ByteArrayOutputStream block = new ByteArrayOutputStream();
		field(block, ":method", method);
		field(block, ":scheme", "https");
		field(block, ":authority", "localhost");
		field(block, ":path", path);
		if (bodyBytes > 0) {
			field(block, "content-type", "application/json");
			field(block, "content-length", Integer.toString(bodyBytes));
		}
		frame(HEADERS, END_HEADERS | ((bodyBytes == 0) ? END_STREAM : 0), this.nextStream, block.toByteArray());
		this.nextStream += 2;
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
		this.out.flush();
	}

	/**
	 * Reads frames until none has come for a time.
	 * @return how many streams are open: not reset, and their connection not closed
	 */
	int openStreams(Duration quiet) throws IOException {
		this.socket.setSoTimeout((int) quiet.toMillis());
		try {
			while (true) {
				int length = this.in.readUnsignedByte() << 16 | this.in.readUnsignedShort();
				int type = this.in.readUnsignedByte();
				int flags = this.in.readUnsignedByte();
				int stream = this.in.readInt();
				this.in.skipNBytes(length);
				if (type == RST_STREAM) {
					this.reset.add(stream);
				}
				else if (type == SETTINGS && flags != ACK) {
					frame(SETTINGS, ACK, 0, new byte[0]);
				}
			}
		}
		catch (SocketTimeoutException ex) {
			return this.nextStream / 2 - this.reset.size();
		}
		catch (EOFException | SocketException ex) {
			return 0;
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
