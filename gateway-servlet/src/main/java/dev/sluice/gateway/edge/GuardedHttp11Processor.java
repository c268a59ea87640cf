package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

import dev.sluice.gateway.core.limit.ArrivingRequest;
import dev.sluice.gateway.core.problem.ProblemException;
import jakarta.servlet.ServletRequest;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 processor behind an {@link ArrivingRequest}: Tomcat gets a request
 * when it has arrived completely, so no thread of the container waits for a client that
 * sends slowly. Nor does one wait for a client that does not read: a request begins when
 * there is room for its answer, and after each answer other connections have their turn.
 */
public final class GuardedHttp11Processor extends Http11Processor {

	/** Name of the request attribute that holds it. */
	public static final String ATTRIBUTE = "dev.sluice.gateway.edge.GuardedHttp11Processor";

	/** More than the head of an answer has. */
	private static final int MAX_ANSWER_HEAD_BYTES = 1024;

	private final GuardedHttp11Protocol protocol;

	private final GuardedHttp11Protocol.Limits limits;

	private final Adapter guarding;

	/** That of the request in progress. */
	private @Nullable ClientConnection current;

	GuardedHttp11Processor(GuardedHttp11Protocol protocol, GuardedHttp11Protocol.Limits limits) {
		super(protocol, protocol.getAdapter());
		this.protocol = protocol;
		this.limits = limits;
		this.guarding = new GuardingAdapter(limits.connector());
	}

	/**
	 * Answers a request with a problem in place of Tomcat, which would close the
	 * connection after any 503.
	 */
	public static void answer(ServletRequest request, ProblemException problem) throws IOException {
		((GuardedHttp11Processor) request.getAttribute(ATTRIBUTE)).answer(problem);
	}

	private void answer(ProblemException problem) throws IOException {
		ArrivingRequest arriving = current().arriving();
		this.response.setStatus(problem.type().status());
		this.response.setCommitted(true);
		getSocketWrapper().write(true, ByteBuffer.wrap(arriving.answer(problem)));
		getSocketWrapper().flush(true);
		if (arriving.isLast(problem)) {
			action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

	/** Whether the client of the request in progress is known to have disconnected. */
	public boolean isDisconnected() {
		return current().isDisconnected();
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
		ClientConnection connection = isAsync() ? current() : connection(socket);
		if (connection == null) {
			return super.process(socket, event);
		}
		SocketState state = SocketState.CLOSED;
		try {
			state = process(socket, connection, event);
		}
		finally {
			if (state == SocketState.CLOSED) {
				// The connection may have failed while the request was in progress.
				connection.arriving().end();
			}
		}
		return state;
	}

	private SocketState process(SocketWrapperBase<?> socket, ClientConnection connection, SocketEvent event)
			throws IOException {
		if (isAsync()) {
			return processed(socket, connection, super.process(socket, event));
		}
		if (event == SocketEvent.OPEN_READ && connection.isRoomUnknown()) {
			return untilWritable(socket);
		}
		if (event == SocketEvent.OPEN_WRITE) {
			connection.confirmRoom();
		}
		if (event == SocketEvent.OPEN_READ || event == SocketEvent.OPEN_WRITE) {
			return receive(socket, connection);
		}
		// The poller reports a timeout as an error.
		if (event == SocketEvent.ERROR && connection.arriving().left() != null) {
			return refuse(socket, connection, connection.arriving().late());
		}
		return super.process(socket, event);
	}

	private SocketState receive(SocketWrapperBase<?> socket, ClientConnection connection) throws IOException {
		GuardedHttp11Protocol.Guarded channel = (GuardedHttp11Protocol.Guarded) socket.getSocket();
		try {
			while (!connection.isComplete()) {
				int read = channel.receive();
				if (read <= 0) {
					return (read < 0) ? SocketState.CLOSED : awaitRest(socket, connection);
				}
			}
			connection.begin();
			this.current = connection;
		}
		catch (ProblemException ex) {
			return refuse(socket, connection, ex);
		}
		// It restarts with each byte that the client takes, but an answer needs no second
		// one: the system reports room when there is more than an answer takes.
		socket.setWriteTimeout(this.limits.requests().connections().writeTimeout().toMillis());
		return processed(socket, connection, super.process(socket, SocketEvent.OPEN_READ));
	}

	private SocketState awaitRest(SocketWrapperBase<?> socket, ClientConnection connection) throws IOException {
		byte[] question = connection.arriving().ask();
		if (question != null) {
			send(socket, question);
		}
		Duration left = connection.arriving().left();
		if (left == null) {
			socket.setReadTimeout(this.protocol.getKeepAliveTimeout());
			return SocketState.OPEN;
		}
		if (left.toMillis() <= 0) {
			return refuse(socket, connection, connection.arriving().late());
		}
		socket.setReadTimeout(left.toMillis());
		return SocketState.LONG;
	}

	private SocketState processed(SocketWrapperBase<?> socket, ClientConnection connection, SocketState state) {
		return switch (state) {
			case LONG -> {
				// Everything that a request in progress waits for has its own deadline.
				socket.setReadTimeout(-1);
				yield state;
			}
			case OPEN -> next(socket, connection);
			default -> state;
		};
	}

	/**
	 * Behind other connections if it may be here. Continues like Tomcat after a file:
	 * with the state that it uses for requests pipelined behind one.
	 */
	private SocketState next(SocketWrapperBase<?> socket, ClientConnection connection) {
		socket.setReadTimeout(this.protocol.getKeepAliveTimeout());
		if (!connection.isAhead()) {
			return SocketState.OPEN;
		}
		socket.processSocket(SocketEvent.OPEN_READ, true);
		return SocketState.SENDFILE;
	}

	/**
	 * The poller reports when the socket is writable, or that it took too long. No thread
	 * waits meanwhile, so the limit is that of a head.
	 */
	private SocketState untilWritable(SocketWrapperBase<?> socket) {
		socket.setWriteTimeout(this.limits.requests().connections().headTimeout().toMillis());
		socket.registerWriteInterest();
		return SocketState.SENDFILE;
	}

	/** Answers a request that Tomcat has not read. */
	private SocketState refuse(SocketWrapperBase<?> socket, ClientConnection connection, ProblemException problem)
			throws IOException {
		boolean complete = connection.arriving().isComplete();
		boolean last = connection.arriving().isLast(problem);
		send(socket, connection.arriving().answer(problem));
		if (!complete) {
			connection.drain();
		}
		connection.end(MAX_ANSWER_HEAD_BYTES);
		return last ? SocketState.CLOSED : next(socket, connection);
	}

	/** Does not wait: a client that does not read gets part of it. */
	private static void send(SocketWrapperBase<?> socket, byte[] bytes) throws IOException {
		socket.write(false, ByteBuffer.wrap(bytes));
		socket.flush(false);
	}

	private static @Nullable ClientConnection connection(SocketWrapperBase<?> socket) {
		return (socket.getSocket() instanceof GuardedHttp11Protocol.Guarded guarded) ? guarded.connection() : null;
	}

	private ClientConnection current() {
		return Objects.requireNonNull(this.current, "no request has begun");
	}

	/** Marks the end of a request, and gives it this processor. */
	private final class GuardingAdapter extends CoyoteAdapter {

		GuardingAdapter(Connector connector) {
			super(connector);
		}

		@Override
		public void service(Request request, Response response) throws Exception {
			// The client has been asked to go on, if it wanted to be.
			request.setExpectation(false);
			request.setAttribute(ATTRIBUTE, GuardedHttp11Processor.this);
			super.service(request, response);
			end(response);
		}

		@Override
		public boolean asyncDispatch(Request request, Response response, SocketEvent event) throws Exception {
			boolean done = super.asyncDispatch(request, response, event);
			end(response);
			return done;
		}

		private void end(Response response) {
			if (!isAsync()) {
				if (response.isCommitted()) {
					// It decides by the status once more whether to close the connection.
					response.setStatus(200);
				}
				current().end((int) response.getBytesWritten(false) + MAX_ANSWER_HEAD_BYTES);
			}
		}

	}

}
