package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.limit.ArrivingRequest;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;

/**
 * One client's connection. Holds the bytes of a request until it has arrived completely,
 * and only then lets Tomcat read them, so no thread of the container waits for a client
 * that sends slowly. Nor does one wait for a client that does not read: a request begins
 * when there is room for its answer, and after each answer other connections have their
 * turn. Used by one thread at a time.
 */
final class ClientConnection extends NioEndpoint.NioSocketWrapper {

	/** Maximum number of bytes that are read and discarded before a close. */
	private static final int MAX_DRAINED_BYTES = 128 * 1024;

	/**
	 * Maximum number of bytes sent since the socket was known to have room. With one more
	 * answer, of at most 64 KB, this is less than a third of the operating system's
	 * buffer, which is free when the system reports the socket as writable.
	 */
	private static final int MAX_UNCONFIRMED_BYTES = ConnectionProperties.SEND_BUFFER_BYTES / 8;

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	/** Whether its bytes are the request's own, not those of TLS. */
	private final boolean plain;

	private final ConnectionProperties limits;

	private ArrivingRequest arriving;

	/** Bytes that were received and that Tomcat has not read. */
	private ByteBuffer held = NOTHING;

	/** Number of those that belong to the request that is arriving. */
	private int checked;

	/** Number of those that belong to the request that Tomcat processes. */
	private int readable;

	private boolean inProgress;

	private int unconfirmedBytes;

	ClientConnection(NioChannel channel, NioEndpoint endpoint, RequestLimit requests, int maxHeadBytes) {
		super(channel, endpoint);
		this.plain = !endpoint.isSSLEnabled();
		this.limits = requests.connections();
		this.arriving = new ArrivingRequest(requests, maxHeadBytes, System::nanoTime);
	}

	/** The request that is arriving, or that Tomcat processes. */
	ArrivingRequest arriving() {
		return this.arriving;
	}

	/** Whether Tomcat processes a request. */
	boolean isInProgress() {
		return this.inProgress;
	}

	/** Processes an event while no request is in progress. Afterwards one may be. */
	SocketState process(SocketEvent event) throws IOException {
		return switch (event) {
			case OPEN_READ -> receive();
			case OPEN_WRITE -> {
				this.unconfirmedBytes = 0;
				yield receive();
			}
			// The poller reports a timeout as an error.
			case ERROR -> (this.arriving.left() != null) ? refuse(this.arriving.late()) : SocketState.CLOSED;
			case STOP, TIMEOUT, DISCONNECT, CONNECT_FAIL -> SocketState.CLOSED;
		};
	}

	private SocketState receive() throws IOException {
		try {
			do {
				int next = this.held.position() + this.checked;
				this.checked += this.arriving.check(this.held.slice(next, this.held.limit() - next));
			}
			while (!this.arriving.isComplete() && fill());
			if (!this.arriving.isComplete()) {
				return awaitRest();
			}
			this.arriving.admit();
		}
		catch (ProblemException ex) {
			return refuse(ex);
		}
		this.inProgress = true;
		this.readable = this.checked;
		this.checked = 0;
		// It restarts with each byte that the client takes, but an answer needs no second
		// one: the system reports room when there is more than an answer takes.
		setWriteTimeout(this.limits.writeTimeout().toMillis());
		return SocketState.LONG;
	}

	/**
	 * Receives what is there, in the channel's buffer: TLS needs one of a certain size.
	 */
	private boolean fill() throws IOException {
		super.read(false, NOTHING);
		this.socketBufferHandler.configureReadBufferForRead();
		ByteBuffer received = this.socketBufferHandler.getReadBuffer();
		int length = received.remaining();
		if (this.held.capacity() - this.held.limit() < length) {
			int before = this.held.remaining();
			this.held = ByteBuffer.allocate(Math.max(before + length, 2 * before)).put(this.held).flip();
		}
		int end = this.held.limit();
		this.held.limit(end + length).put(end, received, received.position(), length);
		received.position(received.limit());
		return length > 0;
	}

	private SocketState awaitRest() throws IOException {
		byte[] question = this.arriving.ask();
		if (question != null) {
			send(question);
		}
		Duration left = this.arriving.left();
		if (left != null && left.toMillis() <= 0) {
			return refuse(this.arriving.late());
		}
		awaitBytes((left != null) ? left.toMillis() : getEndpoint().getKeepAliveTimeout());
		return SocketState.LONG;
	}

	private void awaitBytes(long timeoutMillis) {
		setReadTimeout(timeoutMillis);
		super.registerReadInterest();
	}

	/** Answers a request that Tomcat has not read. */
	private SocketState refuse(ProblemException problem) throws IOException {
		send(this.arriving.answer(problem));
		if (!this.arriving.isComplete()) {
			drain();
		}
		if (this.arriving.isLast(problem)) {
			return SocketState.CLOSED;
		}
		skip(this.checked);
		this.checked = 0;
		next();
		return SocketState.OPEN;
	}

	/** Does not wait: a client that does not read gets part of it. */
	private void send(byte[] bytes) throws IOException {
		write(false, ByteBuffer.wrap(bytes));
		flush(false);
	}

	/**
	 * Discards bytes that the client has sent meanwhile, within bounds, so that closing
	 * does not reset the connection before the client has read the answer.
	 */
	private void drain() throws IOException {
		if (this.plain) {
			// TLS still has to send its close message.
			getSocket().getIOChannel().shutdownOutput();
		}
		ByteBuffer drained = ByteBuffer.allocate(8 * 1024);
		int total = 0;
		for (int read = 1; read > 0 && total < MAX_DRAINED_BYTES; total += read) {
			read = getSocket().getIOChannel().read(drained.clear());
		}
	}

	/** Tomcat waits for the next request: that in progress is answered. */
	@Override
	public void registerReadInterest() {
		if (this.inProgress) {
			this.inProgress = false;
			next();
		}
		else {
			super.registerReadInterest();
		}
	}

	/**
	 * The next request is processed behind other connections if it may be here although
	 * the socket has nothing to read; with TLS it always may.
	 */
	private void next() {
		this.arriving = this.arriving.next();
		if (this.unconfirmedBytes > MAX_UNCONFIRMED_BYTES) {
			// The poller reports that the socket is writable, or that it took too long.
			// No
			// thread waits meanwhile, so the limit is that of a head.
			setWriteTimeout(this.limits.headTimeout().toMillis());
			registerWriteInterest();
		}
		else if (this.held.hasRemaining() || !this.plain) {
			processSocket(SocketEvent.OPEN_READ, true);
		}
		else {
			awaitBytes(getEndpoint().getKeepAliveTimeout());
		}
	}

	/** Reads for Tomcat, at most to the end of the request. */
	@Override
	public int read(boolean block, ByteBuffer target) {
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

	@Override
	protected void doWrite(boolean block, ByteBuffer from) throws IOException {
		this.unconfirmedBytes += from.remaining();
		super.doWrite(block, from);
	}

	/**
	 * Whether the client has closed the connection, or its sending side, since it sent
	 * its request. Not known with TLS, nor once it has sent a byte of another request.
	 */
	boolean isDisconnected() {
		try {
			if (this.plain && !this.held.hasRemaining()) {
				fill();
			}
			return false;
		}
		catch (IOException _) {
			return true;
		}
	}

	@Override
	protected void doClose() {
		this.arriving.end();
		super.doClose();
	}

}
