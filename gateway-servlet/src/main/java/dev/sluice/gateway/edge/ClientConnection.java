package dev.sluice.gateway.edge;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.http.RequestHead;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.metrics.RefusedRequests.Reason;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection as the application sees it: whether its request is well-formed
 * and has arrived completely, and whether the client is still connected. A request has it
 * as an attribute. It sees each byte before Tomcat does.
 */
public final class ClientConnection {

	/** Name of the request attribute. */
	public static final String ATTRIBUTE = "dev.sluice.gateway.edge.ClientConnection";

	/** Maximum number of bytes that are read and discarded before a close. */
	private static final int MAX_DRAINED_BYTES = 128 * 1024;

	/**
	 * Maximum number of bytes sent since the socket was known to have room. With one more
	 * answer, of at most 64 KB, this is less than a third of the operating system's
	 * buffer, which is free when the system reports the socket as writable.
	 */
	private static final int MAX_UNCONFIRMED_BYTES = ConnectionProperties.SEND_BUFFER_BYTES / 8;

	private final SocketChannel socket;

	private final boolean plain;

	private final Duration writeTimeout;

	private final RefusedRequests refused;

	@GuardedBy("this")
	private final RequestFraming framing;

	/**
	 * Bytes read behind the end of a request; Tomcat gets them with the next one. At most
	 * one buffer of Tomcat's.
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

	/**
	 * When the socket first did not take all bytes of this answer; 0 if it always did.
	 */
	private volatile long waitingSinceNanos;

	/**
	 * @param socket the connection's socket
	 * @param plain whether its bytes are the request's own, not those of TLS
	 * @param maxHeadBytes maximum size of a head, in bytes
	 * @param writeTimeout maximum time that one answer waits for the client to read
	 * @param refused counts refused requests
	 */
	ClientConnection(SocketChannel socket, boolean plain, int maxHeadBytes, Duration writeTimeout,
			RefusedRequests refused) {
		this.socket = socket;
		this.plain = plain;
		this.writeTimeout = writeTimeout;
		this.refused = refused;
		this.framing = new RequestFraming(maxHeadBytes);
	}

	/** The connection of a request. */
	static ClientConnection of(ServletRequest request) {
		return (ClientConnection) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Answers a request with a problem, and keeps the connection if the body has arrived.
	 */
	public static void refuse(ServletRequest request, ProblemException problem) throws IOException {
		ClientConnection connection = of(request);
		connection.processor().refuse(connection, problem);
	}

	/** Tomcat begins the next request. */
	synchronized void begin(GuardedHttp11Processor processor) {
		this.processor = processor;
		this.requests++;
		this.inProgress = true;
		this.waitingSinceNanos = 0;
	}

	/**
	 * Tomcat has answered the request. It gets no byte of the next one before
	 * {@link #next}.
	 */
	synchronized void end() {
		this.inProgress = false;
		this.answered = true;
	}

	private GuardedHttp11Processor processor() {
		return Objects.requireNonNull(this.processor, "no request has begun");
	}

	/** The place of the request that Tomcat began last. */
	RequestLimit.Place place() {
		return processor().place();
	}

	/** The next request may begin. */
	synchronized void next() {
		this.answered = false;
	}

	/**
	 * Whether a request has been answered and the next one may be here although the
	 * socket has nothing to read. With TLS it always may.
	 */
	synchronized boolean isAhead() {
		return this.answered && (!this.plain || this.ahead.hasRemaining());
	}

	/**
	 * Whether an answer might have to wait for the client to read. If so, the caller must
	 * check that the socket is writable.
	 */
	boolean isRoomUnknown() {
		return this.unconfirmedBytes.get() > MAX_UNCONFIRMED_BYTES;
	}

	/** The socket is writable. */
	void confirmRoom() {
		this.unconfirmedBytes.set(0);
	}

	/**
	 * Reads for Tomcat, at most to the end of a request, and nothing more until that is
	 * answered: Tomcat loses bytes that follow a chunked body. At a byte that breaks the
	 * rules of HTTP the connection ends for Tomcat.
	 * @param channel the source of the bytes
	 * @param target the buffer to read into
	 * @return the number of bytes; 0 if there are none yet, -1 at the end
	 */
	synchronized int read(Channel channel, ByteBuffer target) throws IOException {
		if (this.framing.isBroken()) {
			return -1;
		}
		if (this.answered || (this.inProgress && isRequestComplete())) {
			return 0;
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
			this.refused.count(Reason.MALFORMED);
			return -1;
		}
		if (wellFormed < end) {
			keep(target.duplicate().limit(end));
		}
		return target.position() - start;
	}

	/** Checks bytes up to the end of a request. */
	@GuardedBy("this")
	private int checkRequest(ByteBuffer bytes) {
		long before = this.framing.completed();
		int start = bytes.position();
		while (bytes.hasRemaining() && !this.framing.isBroken() && this.framing.completed() == before) {
			bytes.position(bytes.position() + this.framing.checkPart(bytes));
		}
		return bytes.position() - start;
	}

	/** Keeps the bytes, before those that were kept already. */
	@GuardedBy("this")
	private void keep(ByteBuffer bytes) {
		this.ahead = ByteBuffer.allocate(bytes.remaining() + this.ahead.remaining()).put(bytes).put(this.ahead).flip();
	}

	/**
	 * Writes for Tomcat, whose thread waits while the client does not read. Tomcat's own
	 * time limit restarts with each byte that the client takes.
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

	/** The head of the request that Tomcat began last. */
	synchronized RequestHead head() {
		return this.framing.head();
	}

	/** Whether Tomcat has every byte of the request that it began last. */
	synchronized boolean isRequestComplete() {
		return this.framing.completed() >= this.requests;
	}

	/** Whether that request will never be complete: it is ill-formed or cut off. */
	synchronized boolean isRequestBroken() {
		return !isRequestComplete() && (this.framing.isBroken() || this.ended);
	}

	/** Whether a byte of a head has broken a rule. */
	synchronized boolean isHeadBroken() {
		return isRequestComplete() && this.framing.isBroken();
	}

	/**
	 * Receives bytes from the socket, if Tomcat has used up those that it had.
	 * @return the number of bytes of the body that can be read without waiting
	 */
	int receive() {
		return processor().receive();
	}

	/** Sends {@code 100 Continue} if the client waits for it. */
	void expectBody() {
		processor().sendContinue();
	}

	/**
	 * Whether the client has closed the connection, or its sending side, since it sent
	 * its request. Not known with TLS, nor once it has sent a byte of another request.
	 */
	public synchronized boolean isDisconnected() {
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
	 * Discards bytes that the client has sent meanwhile, within bounds, so that closing
	 * does not reset the connection before the client has read the answer.
	 */
	synchronized void drain() throws IOException {
		if (!this.socket.isConnected() || (isRequestComplete() && !this.framing.isBroken())) {
			return;
		}
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

	/** The source or the destination of bytes. */
	@FunctionalInterface
	interface Channel {

		int transfer(ByteBuffer bytes) throws IOException;

	}

}
