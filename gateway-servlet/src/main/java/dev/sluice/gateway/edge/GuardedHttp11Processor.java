package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;

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
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** Tomcat's HTTP/1.1 processor behind a {@link ClientConnection}. */
public final class GuardedHttp11Processor extends Http11Processor {

	/** Name of the request attribute that holds it. */
	public static final String ATTRIBUTE = "dev.sluice.gateway.edge.GuardedHttp11Processor";

	private final Adapter adapter;

	GuardedHttp11Processor(GuardedHttp11Protocol protocol, Connector connector) {
		super(protocol, protocol.getAdapter());
		this.adapter = new CoyoteAdapter(connector) {

			/** Tomcat decides by the status once more whether to close the connection. */
			@Override
			public void service(Request request, Response response) throws Exception {
				super.service(request, response);
				if (response.isCommitted() && !isAsync()) {
					response.setStatus(200);
				}
			}

		};
	}

	/**
	 * Answers a request with a problem in place of Tomcat, which would close the
	 * connection after any 503.
	 */
	public static void answer(ServletRequest request, ProblemException problem) throws IOException {
		((GuardedHttp11Processor) request.getAttribute(ATTRIBUTE)).answer(problem);
	}

	private void answer(ProblemException problem) throws IOException {
		ArrivingRequest arriving = connection().arriving();
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
		return connection().isDisconnected();
	}

	private ClientConnection connection() {
		return (ClientConnection) getSocketWrapper();
	}

	@Override
	public Adapter getAdapter() {
		return this.adapter;
	}

	@Override
	public SocketState service(SocketWrapperBase<?> socket) throws IOException {
		this.request.setAttribute(ATTRIBUTE, this);
		return super.service(socket);
	}

	/**
	 * As if there were no {@code Host}: nothing here uses it, its form has been checked,
	 * and Tomcat would refuse names that are legal, such as one with an underscore. Nor
	 * does a client still wait for 100 (Continue), which Tomcat has read just before.
	 */
	@Override
	protected void parseHost(@Nullable MessageBytes value) {
		this.request.setExpectation(false);
		super.parseHost(null);
	}

}
