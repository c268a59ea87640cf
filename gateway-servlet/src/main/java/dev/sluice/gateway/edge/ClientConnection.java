package dev.sluice.gateway.edge;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection as the application sees it: whether the request that it carries
 * is well-formed, has come in completely, and whether the client is still there. A
 * request has it as an attribute, except over HTTP/2. It sees each byte before Tomcat
 * does.
 */
@ThreadSafe
public final class ClientConnection {

	/** Name of the request attribute. */
	public static final String ATTRIBUTE = "dev.sluice.gateway.edge.ClientConnection";

	/** Maximum number of bytes that are read, and thrown away, before it is closed. */
	private static final int MAX_DRAINED_BYTES = 128 * 1024;

	/**
	 * What it may have been sent since it was known to have room. With one answer more,
	 * of 64 KB at most, this is less than a third of the operating system's buffer, and
	 * so much is free when the system calls it writable.
	 */
	private static final int MAX_UNCONFIRMED_BYTES = ConnectionProperties.SEND_BUFFER_BYTES / 8;

	private final SocketChannel socket;

	private final boolean plain;

	private final Duration writeTimeout;

	private final RefusedRequests refused;

	@GuardedBy("this")
	private final RequestFraming framing;

	/**
	 * What was read behind the end of a request; Tomcat gets it with the next one. At
	 * most one buffer of Tomcat's.
	 */
	@GuardedBy("this")
	private ByteBuffer ahead = ByteBuffer.allocate(0);

	private volatile @Nullable GuardedHttp11Processor processor;

	@GuardedBy("this")
	private long requests;

	@GuardedBy("this")
	private boolean inProgress;

	@GuardedBy("this")
	private boolean answered;

	@GuardedBy("this")
	private boolean ended;

	private final AtomicInteger unconfirmedBytes = new AtomicInteger();

	/** When the socket did not take all of this answer first; 0 if it has always. */
	private volatile long waitingSinceNanos;

	/** What Tomcat gets from the byte that breaks a rule on; empty before. */
	@GuardedBy("this")
	private ByteBuffer refusal = ByteBuffer.allocate(0);

	/**
	 * @param socket the socket under it
	 * @param plain whether its bytes are the request's own, not those of TLS
	 * @param maxHeadBytes maximum size of a head, in bytes
	 * @param writeTimeout maximum time for which one answer waits for the client to read
	 * @param refused counts what is refused
	 */
	ClientConnection(SocketChannel socket, boolean plain, int maxHeadBytes, Duration writeTimeout,
			RefusedRequests refused) {
		this.socket = socket;
		this.plain = plain;
		this.writeTimeout = writeTimeout;
		this.refused = refused;
		this.framing = new RequestFraming(maxHeadBytes);
	}

	/** The connection of a request, null if it has none of its own. */
	static @Nullable ClientConnection of(ServletRequest request) {
		return (ClientConnection) request.getAttribute(ATTRIBUTE);
	}

	/** Whether a request's client is known to be gone. */
	public static boolean isGone(@Nullable ClientConnection connection) {
		return connection != null && connection.isGone();
	}

	/** Tomcat begins with the next request. */
	synchronized void begin(GuardedHttp11Processor processor) {
		this.processor = processor;
		this.requests++;
		this.inProgress = true;
		this.waitingSinceNanos = 0;
	}

	/** Tomcat has answered the request. It gets no byte of another before its turn. */
	synchronized void end() {
		this.inProgress = false;
		this.answered = true;
	}

	/** It is the next request's turn. */
	synchronized void next() {
		this.answered = false;
	}

	/** Whether the client has sent more than the requests that are answered. */
	synchronized boolean isAhead() {
		return this.ahead.hasRemaining();
	}

	/**
	 * Whether an answer might have to wait for the client to read. If so, it is to be
	 * asked of the socket whether it is writable.
	 */
	boolean isRoomUnknown() {
		return this.unconfirmedBytes.get() > MAX_UNCONFIRMED_BYTES;
	}

	/** The socket is writable. */
	void confirmRoom() {
		this.unconfirmedBytes.set(0);
	}

	/**
	 * Reads for Tomcat, at most to the end of a request, and nothing more before that is
	 * answered: of what follows a chunked body, Tomcat loses bytes. A byte that breaks
	 * the rules of HTTP becomes NUL, which Tomcat refuses with 400 wherever it stands in
	 * a head or in chunked framing. Only the line's end follows it, which Tomcat waits
	 * for.
	 * @param channel where the bytes come from
	 * @param target where they go
	 * @return how many there are; 0 if there is none yet, -1 if none will come
	 */
	synchronized int read(Channel channel, ByteBuffer target) throws IOException {
		if (this.framing.isBroken()) {
			return refuse(target);
		}
		if (this.inProgress && isRequestComplete()) {
			return 0;
		}
		if (this.answered) {
			return readAhead(channel, target);
		}
		int start = target.position();
		if (this.ahead.hasRemaining()) {
			int put = Math.min(target.remaining(), this.ahead.remaining());
			target.put(this.ahead.slice().limit(put));
			this.ahead.position(this.ahead.position() + put);
		}
		else {
			int read = channel.transfer(target);
			this.ended = read < 0;
			if (read <= 0) {
				return read;
			}
		}
		int end = target.position();
		int wellFormed = start + checkRequest(target.duplicate().flip().position(start));
		target.position(wellFormed);
		if (this.framing.isBroken()) {
			this.refused.malformed();
			this.refusal = ByteBuffer.wrap(new byte[] { 0, '\n' });
			refuse(target);
		}
		else if (wellFormed < end) {
			keep(target.duplicate().limit(end));
		}
		return target.position() - start;
	}

	/**
	 * What the channel has read from the socket must be seen now: the poller would not
	 * report it.
	 * @return 0, -1 if nothing will come
	 */
	@GuardedBy("this")
	private int readAhead(Channel channel, ByteBuffer target) throws IOException {
		if (this.ahead.hasRemaining()) {
			return 0;
		}
		int start = target.position();
		int read = channel.transfer(target);
		this.ended = read < 0;
		if (read > 0) {
			keep(target.duplicate().flip().position(start));
			target.position(start);
		}
		return Math.min(read, 0);
	}

	/** Looks at bytes up to the end of a request. */
	@GuardedBy("this")
	private int checkRequest(ByteBuffer bytes) {
		long before = this.framing.completed();
		int start = bytes.position();
		while (bytes.hasRemaining() && !this.framing.isBroken() && this.framing.completed() == before) {
			bytes.position(bytes.position() + this.framing.checkPart(bytes));
		}
		return bytes.position() - start;
	}

	/** What was kept before stands behind these bytes. */
	@GuardedBy("this")
	private void keep(ByteBuffer bytes) {
		this.ahead = ByteBuffer.allocate(bytes.remaining() + this.ahead.remaining()).put(bytes).put(this.ahead).flip();
	}

	@GuardedBy("this")
	private int refuse(ByteBuffer target) {
		int put = Math.min(target.remaining(), this.refusal.remaining());
		target.put(this.refusal.slice().limit(put));
		this.refusal.position(this.refusal.position() + put);
		return this.refusal.hasRemaining() || put > 0 ? put : -1;
	}

	/**
	 * Writes for Tomcat, whose thread waits while the client does not read. Its own time
	 * limit begins again with each byte that the client takes.
	 * @throws SocketTimeoutException if the client has kept the answer waiting for too
	 * long
	 */
	int write(Channel channel, ByteBuffer source) throws IOException {
		int written = channel.transfer(source);
		this.unconfirmedBytes.addAndGet(Math.max(0, written));
		if (source.hasRemaining()) {
			long now = System.nanoTime();
			if (this.waitingSinceNanos == 0) {
				this.waitingSinceNanos = now;
			}
			else if (now - this.waitingSinceNanos > this.writeTimeout.toNanos()) {
				throw new SocketTimeoutException("The client does not read its answer");
			}
		}
		return written;
	}

	/** Whether Tomcat has every byte of the request that it began last. */
	synchronized boolean isRequestComplete() {
		return this.framing.completed() >= this.requests;
	}

	/** Whether more bytes of that request cannot come: it is ill-formed or cut off. */
	synchronized boolean isRequestBroken() {
		return !isRequestComplete() && (this.framing.isBroken() || this.ended);
	}

	/**
	 * Takes what has come in from the socket, if Tomcat has used up what it had.
	 * @return how many bytes of the body can be read without waiting
	 */
	int receive() {
		GuardedHttp11Processor current = this.processor;
		return (current != null) ? current.receive() : 0;
	}

	/** Sends {@code 100 Continue} if the client waits for it. */
	void expectBody() {
		GuardedHttp11Processor current = this.processor;
		if (current != null) {
			current.sendContinue();
		}
	}

	/**
	 * Whether the client has closed the connection, or its sending side, since it sent
	 * its request. Not known with TLS, nor once it has sent a byte of another request.
	 */
	private synchronized boolean isGone() {
		if (!this.plain || this.ended || this.ahead.hasRemaining()) {
			return this.ended;
		}
		try {
			ByteBuffer next = ByteBuffer.allocate(1);
			this.ended = this.socket.read(next) < 0;
			this.ahead = next.flip();
		}
		catch (IOException _) {
			this.ended = true;
		}
		return this.ended;
	}

	/**
	 * Takes what the client has sent meanwhile, within bounds, so that closing does not
	 * reset the connection before the client has read the answer.
	 */
	synchronized void drain() throws IOException {
		if (!this.socket.isConnected() || (isRequestComplete() && !this.framing.isBroken())) {
			return;
		}
		if (this.plain) {
			// TLS has more to say before its end.
			this.socket.shutdownOutput();
		}
		ByteBuffer drained = ByteBuffer.allocate(8 * 1024);
		int total = 0;
		for (int read = 1; read > 0 && total < MAX_DRAINED_BYTES; total += read) {
			read = this.socket.read(drained.clear());
		}
	}

	/** Where bytes come from, or go. */
	@FunctionalInterface
	interface Channel {

		int transfer(ByteBuffer bytes) throws IOException;

	}

}
