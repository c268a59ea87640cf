package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.http.RequestHead;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.metrics.RefusedRequests.Reason;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Adapter;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 processor with a time limit for a whole head. Tomcat's own limit is
 * for the time between two reads; this class sets it to the remaining time after each
 * read of an incomplete head. No thread of the container waits for the rest of a body
 * that the application does not read: the connection is closed instead. Nor does one wait
 * for a client that does not read: a request begins when there is room for its answer,
 * and after each answer other connections have their turn.
 */
final class GuardedHttp11Processor extends Http11Processor {

	private final GuardedHttp11Protocol protocol;

	private final Adapter guarding;

	private volatile RequestLimit.@Nullable Place place;

	GuardedHttp11Processor(GuardedHttp11Protocol protocol) {
		super(protocol, protocol.getAdapter());
		this.protocol = protocol;
		this.guarding = new GuardingAdapter(protocol.getAdapter());
	}

	@Override
	public Adapter getAdapter() {
		return this.guarding;
	}

	/**
	 * As if there were no {@code Host}: nothing here uses it, its form has been checked,
	 * and Tomcat would refuse names that are legal, such as one with an underscore.
	 */
	@Override
	protected void parseHost(@Nullable MessageBytes value) {
		super.parseHost(null);
	}

	@Override
	public SocketState process(SocketWrapperBase<?> socket, SocketEvent event) throws IOException {
		// The poller reports a timeout as an error.
		if (event == SocketEvent.ERROR && isInHead()) {
			return timedOut(socket);
		}
		ClientConnection connection = connection(socket);
		if (connection != null && isBetweenRequests()) {
			if (event == SocketEvent.OPEN_READ && connection.isRoomUnknown()) {
				return untilWritable(socket);
			}
			if (event == SocketEvent.OPEN_WRITE) {
				connection.confirmRoom();
				return process(socket, SocketEvent.OPEN_READ);
			}
			connection.next();
		}
		socket.setWriteTimeout(this.protocol.writeTimeout().toMillis());
		SocketState state = SocketState.CLOSED;
		try {
			state = super.process(socket, event);
		}
		finally {
			if (state == SocketState.CLOSED) {
				// The connection may have failed while the request was in progress.
				leave();
			}
		}
		if (connection != null && connection.isHeadBroken()) {
			return refused(socket, ProblemType.INVALID_REQUEST);
		}
		return switch (state) {
			case LONG -> isInHead() ? untilTimeout(socket) : untilAnswered(socket);
			case OPEN -> {
				socket.setReadTimeout(this.protocol.getKeepAliveTimeout());
				yield (connection != null && connection.isAhead()) ? afterOthers(socket) : state;
			}
			default -> state;
		};
	}

	private void leave() {
		RequestLimit.Place current = this.place;
		if (current != null) {
			current.close();
		}
	}

	/** The place of the request that was begun last. */
	RequestLimit.Place place() {
		return Objects.requireNonNull(this.place, "no request has begun");
	}

	private boolean isBetweenRequests() {
		return !isAsync() && !isInHead();
	}

	/**
	 * The poller reports when the socket is writable, or that it took too long. No thread
	 * waits meanwhile, so the limit is that of a head.
	 */
	private SocketState untilWritable(SocketWrapperBase<?> socket) {
		socket.setWriteTimeout(this.protocol.headTimeout().toMillis());
		socket.registerWriteInterest();
		return SocketState.SENDFILE;
	}

	/**
	 * Continues like Tomcat after a file: with the state that it uses for requests
	 * pipelined behind one.
	 */
	private static SocketState afterOthers(SocketWrapperBase<?> socket) {
		socket.processSocket(SocketEvent.OPEN_READ, true);
		return SocketState.SENDFILE;
	}

	/** The start time is that of the first byte, and negative before it. */
	private boolean isInHead() {
		return !isAsync() && this.request.getStartTimeNanos() >= 0;
	}

	private SocketState untilTimeout(SocketWrapperBase<?> socket) {
		Duration passed = Duration.ofNanos(System.nanoTime() - this.request.getStartTimeNanos());
		long left = this.protocol.headTimeout().minus(passed).toMillis();
		if (left <= 0) {
			return timedOut(socket);
		}
		socket.setReadTimeout(left);
		return SocketState.LONG;
	}

	/** Everything that a request in progress waits for has its own deadline. */
	private static SocketState untilAnswered(SocketWrapperBase<?> socket) {
		socket.setReadTimeout(-1);
		return SocketState.LONG;
	}

	private SocketState timedOut(SocketWrapperBase<?> socket) {
		this.protocol.requests().refused().count(Reason.LATE);
		return refused(socket, ProblemType.REQUEST_TIMEOUT);
	}

	/**
	 * Answers a head that was not read to its end. Does not wait: a client that does not
	 * read gets part of the answer.
	 */
	private static SocketState refused(SocketWrapperBase<?> socket, ProblemType type) {
		try {
			socket.write(false, ByteBuffer.wrap(StandardProblem.of(type).toBytes("GET", null, true)));
			socket.flush(false);
		}
		catch (IOException _) {
			// The client has disconnected.
		}
		return SocketState.CLOSED;
	}

	/** The number of bytes of the body that can be read without waiting. */
	int receive() {
		return available(true);
	}

	void sendContinue() {
		ack(ContinueResponseTiming.ON_REQUEST_BODY_READ);
	}

	private @Nullable ClientConnection connection() {
		return connection(getSocketWrapper());
	}

	private static @Nullable ClientConnection connection(@Nullable SocketWrapperBase<?> socket) {
		return (socket != null && socket.getSocket() instanceof GuardedHttp11Protocol.Guarded guarded)
				? guarded.connection() : null;
	}

	/**
	 * The request is answered. Tomcat would read the rest of its body, and hold the
	 * thread meanwhile.
	 */
	private void end() {
		ClientConnection connection = connection();
		if (!isAsync() && connection != null) {
			if (!connection.isRequestComplete()) {
				action(ActionCode.DISABLE_SWALLOW_INPUT, null);
			}
			if (this.response.isCommitted()) {
				// It decides by the status once more whether to close the connection.
				this.response.setStatus(200);
			}
			connection.end();
			leave();
		}
	}

	/** Takes a place for the request, or refuses it. */
	private boolean admit(ClientConnection connection) throws IOException {
		RequestLimit.Place arrived = this.protocol.requests().arrive();
		this.place = arrived;
		try {
			arrived.admit(connection.head(), connection.isRequestComplete());
		}
		catch (ProblemException ex) {
			refuse(connection, ex);
			return false;
		}
		if (this.request.getContentLengthLong() > 0 || this.request.getHeader("Transfer-Encoding") != null) {
			// BodyReader reverts this when it has read the body.
			this.response.setHeader("Connection", "close");
		}
		return true;
	}

	/**
	 * Answers in place of Tomcat, which would close the connection after any 503. It is
	 * closed only if the body has not arrived: no thread waits for that.
	 */
	void refuse(ClientConnection connection, ProblemException problem) throws IOException {
		if (!connection.isRequestComplete()) {
			receive();
		}
		RequestHead head = connection.head();
		boolean last = head.isLast() || !connection.isRequestComplete() || problem.type() == ProblemType.SHUTTING_DOWN;
		this.response.setStatus(problem.type().status());
		this.response.setCommitted(true);
		getSocketWrapper().write(true, ByteBuffer.wrap(problem.toBytes(head.method(), head.path(), last)));
		getSocketWrapper().flush(true);
		if (last) {
			action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

	/** Gives the request its connection, and ends it without reading its body. */
	private final class GuardingAdapter implements Adapter {

		private final Adapter delegate;

		GuardingAdapter(Adapter delegate) {
			this.delegate = delegate;
		}

		@Override
		public void service(Request request, Response response) throws Exception {
			ClientConnection connection = connection();
			if (connection != null) {
				connection.begin(GuardedHttp11Processor.this);
				// Otherwise Tomcat has refused it, and asks nobody.
				if (!getErrorState().isError() && !admit(connection)) {
					end();
					return;
				}
				request.setAttribute(ClientConnection.ATTRIBUTE, connection);
			}
			this.delegate.service(request, response);
			end();
		}

		@Override
		public boolean asyncDispatch(Request request, Response response, SocketEvent event) throws Exception {
			boolean done = this.delegate.asyncDispatch(request, response, event);
			end();
			return done;
		}

		@Override
		public boolean prepare(Request request, Response response) throws Exception {
			return this.delegate.prepare(request, response);
		}

		@Override
		public void log(Request request, Response response, long time) {
			this.delegate.log(request, response, time);
		}

		@Override
		public void checkRecycled(Request request, Response response) {
			this.delegate.checkRecycled(request, response);
		}

		@Override
		public String getDomain() {
			return this.delegate.getDomain();
		}

	}

}
