package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.limit.ArrivingRequest;
import dev.sluice.gateway.core.problem.ProblemException;
import org.apache.tomcat.util.net.SocketBufferHandler;

/**
 * One client's connection: holds the bytes of a request until it has arrived completely,
 * and only then lets Tomcat read them. Used by one thread at a time.
 */
final class ClientConnection {

	/** Maximum number of bytes that are read and discarded before a close. */
	private static final int MAX_DRAINED_BYTES = 128 * 1024;

	/**
	 * Maximum number of bytes sent since the socket was known to have room. With one more
	 * answer, of at most 64 KB, this is less than a third of the operating system's
	 * buffer, which is free when the system reports the socket as writable.
	 */
	private static final int MAX_UNCONFIRMED_BYTES = ConnectionProperties.SEND_BUFFER_BYTES / 8;

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	private final SocketChannel socket;

	private final boolean plain;

	private final ArrivingRequest arriving;

	/** Bytes that were received and that Tomcat has not read. */
	private ByteBuffer held = NOTHING;

	/** Number of those that belong to the request that is arriving. */
	private int checked;

	/** Number of those that belong to the request that Tomcat processes. */
	private int readable;

	private int unconfirmedBytes;

	/**
	 * @param socket the connection's socket
	 * @param plain whether its bytes are the request's own, not those of TLS
	 */
	ClientConnection(SocketChannel socket, boolean plain, GuardedHttp11Protocol.Limits limits) {
		this.socket = socket;
		this.plain = plain;
		this.arriving = new ArrivingRequest(limits.requests(), limits.maxHeadBytes(), System::nanoTime);
	}

	/** The request that is arriving, or that Tomcat processes. */
	ArrivingRequest arriving() {
		return this.arriving;
	}

	/**
	 * Receives what is there.
	 * @param buffers those of the channel: TLS needs one of a certain size
	 * @param source reads into one of them
	 * @return the number of bytes; 0 if there are none yet, -1 at the end
	 */
	int receive(SocketBufferHandler buffers, Source source) throws IOException {
		buffers.configureReadBufferForWrite();
		int read = source.read(buffers.getReadBuffer());
		buffers.configureReadBufferForRead();
		ByteBuffer received = buffers.getReadBuffer();
		int length = received.remaining();
		if (this.held.capacity() - this.held.limit() < length) {
			int before = this.held.remaining();
			this.held = ByteBuffer.allocate(Math.max(before + length, 2 * before)).put(this.held).flip();
		}
		int end = this.held.limit();
		this.held.limit(end + length).put(end, received, received.position(), length);
		received.position(received.limit());
		return read;
	}

	/**
	 * Whether a request has arrived completely.
	 * @throws ProblemException if it is refused
	 */
	boolean isComplete() {
		int next = this.held.position() + this.checked;
		this.checked += this.arriving.check(this.held.slice(next, this.held.limit() - next));
		return this.arriving.isComplete();
	}

	/**
	 * Puts the complete request in progress: Tomcat may read it.
	 * @throws ProblemException if it is refused
	 */
	void begin() {
		this.arriving.admit();
		this.readable = this.checked;
		this.checked = 0;
	}

	/** Reads for Tomcat, at most to the end of the request. */
	int read(ByteBuffer target) {
		int length = Math.min(target.remaining(), this.readable);
		target.put(this.held.slice().limit(length));
		this.readable -= length;
		skip(length);
		return length;
	}

	private void skip(int length) {
		this.held.position(this.held.position() + length);
		if (!this.held.hasRemaining()) {
			this.held = NOTHING;
		}
	}

	/**
	 * The request is answered.
	 * @param bytes the size of the answer
	 */
	void end(int bytes) {
		this.unconfirmedBytes += bytes;
		skip(this.checked);
		this.checked = 0;
		this.arriving.end();
	}

	/**
	 * Whether the next request may be here although the socket has nothing to read. With
	 * TLS it always may.
	 */
	boolean isAhead() {
		return !this.plain || this.held.hasRemaining();
	}

	/**
	 * Whether an answer might have to wait for the client to read. If so, the caller must
	 * check that the socket is writable.
	 */
	boolean isRoomUnknown() {
		return this.unconfirmedBytes > MAX_UNCONFIRMED_BYTES;
	}

	/** The socket is writable. */
	void confirmRoom() {
		this.unconfirmedBytes = 0;
	}

	/**
	 * Whether the client has closed the connection, or its sending side, since it sent
	 * its request. Not known with TLS, nor once it has sent a byte of another request.
	 */
	boolean isDisconnected() {
		if (!this.plain || this.held.hasRemaining()) {
			return false;
		}
		ByteBuffer next = ByteBuffer.allocate(1);
		try {
			boolean ended = this.socket.read(next) < 0;
			this.held = next.flip();
			return ended;
		}
		catch (IOException _) {
			return true;
		}
	}

	/**
	 * Discards bytes that the client has sent meanwhile, within bounds, so that closing
	 * does not reset the connection before the client has read the answer.
	 */
	void drain() throws IOException {
		if (this.plain) {
			// TLS still has to send its close message.
			this.socket.shutdownOutput();
		}
		ByteBuffer drained = ByteBuffer.allocate(8 * 1024);
		int total = 0;
		for (int read = 1; read > 0 && total < MAX_DRAINED_BYTES; total += read) {
			read = this.socket.read(drained.clear());
		}
	}

	/** The source of bytes. */
	@FunctionalInterface
	interface Source {

		int read(ByteBuffer target) throws IOException;

	}

}
