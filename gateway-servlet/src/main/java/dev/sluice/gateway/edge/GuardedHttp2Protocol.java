package dev.sluice.gateway.edge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.upgrade.InternalHttpUpgradeHandler;
import org.apache.coyote.http2.Http2AsyncUpgradeHandler;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Tomcat's HTTP/2 with bounds for the memory of all connections together. A stream takes
 * about 25 KB of heap from its head on, so the more connections are open, the fewer
 * streams a new one gets. A request that {@link RequestFraming} finds ill-formed is
 * answered with 400.
 */
public final class GuardedHttp2Protocol extends Http2Protocol {

	/**
	 * Minimum number of streams, so that a request need not wait for the answer to
	 * another one.
	 */
	private static final int MIN_STREAMS = 2;

	/**
	 * Bytes of a body that a client may send before the application reads. Tomcat has two
	 * buffers of this size for each body. Most orders are smaller.
	 */
	private static final int WINDOW_BYTES = 4 * 1024;

	private final int maxHeadBytes;

	private final int maxStreams;

	private final RefusedRequests refused;

	public GuardedHttp2Protocol(int maxHeadBytes, ConnectionProperties connections, RefusedRequests refused) {
		this.maxHeadBytes = maxHeadBytes;
		this.maxStreams = connections.maxStreams();
		this.refused = refused;
		// RequestFraming enforces the exact limits.
		setMaxHeaderCount(2 * RequestFraming.MAX_FIELDS);
		long writeMillis = connections.writeTimeout().toMillis();
		setWriteTimeout(writeMillis);
		setStreamWriteTimeout(writeMillis);
		setInitialWindowSize(WINDOW_BYTES);
	}

	/** Tomcat asks for each new connection. */
	@Override
	public long getMaxConcurrentStreams() {
		long connections = Math.max(1, ((GuardedHttp11Protocol) getHttp11Protocol()).getConnectionCount());
		return Math.clamp(this.maxStreams / connections, MIN_STREAMS, ConnectionProperties.MAX_STREAMS_PER_CONNECTION);
	}

	@Override
	public int getMaxHeaderSize() {
		return 2 * this.maxHeadBytes;
	}

	/** Tomcat asks for each new connection. */
	@Override
	public InternalHttpUpgradeHandler getInternalUpgradeHandler(SocketWrapperBase<?> socket, Adapter adapter,
			@Nullable Request request) {
		return new Connection(this, new FramingAdapter(adapter), request, socket);
	}

	/**
	 * A connection that is also closed if its client resets it right after its settings.
	 * Tomcat then sends a ping; if that fails, Tomcat neither catches the exception nor
	 * closes the connection.
	 */
	private static final class Connection extends Http2AsyncUpgradeHandler {

		Connection(Http2Protocol protocol, Adapter adapter, @Nullable Request request, SocketWrapperBase<?> socket) {
			super(protocol, adapter, request, socket);
		}

		@Override
		protected PingManager getPingManager() {
			return new Pings();
		}

		private final class Pings extends AsyncPingManager {

			@Override
			public void sendPing(boolean force) throws IOException {
				try {
					super.sendPing(force);
				}
				catch (IOException ex) {
					if (!force) {
						throw ex;
					}
					// The next read fails too, and closes the connection.
				}
			}

		}

	}

	/** Answers a request that would be ill-formed over HTTP/1.1. */
	private final class FramingAdapter extends DelegatingAdapter {

		FramingAdapter(Adapter delegate) {
			super(delegate);
		}

		@Override
		public void service(Request request, Response response) throws Exception {
			if (isWellFormed(request)) {
				super.service(request, response);
			}
			else {
				refuse(response);
			}
		}

		/** The only call in which Tomcat reports a request that it refuses itself. */
		@Override
		public void log(Request request, Response response, long time) {
			if (response.getStatus() == 400 && !response.isCommitted()) {
				try {
					refuse(response);
				}
				catch (IOException _) {
					// The client has disconnected.
				}
			}
			super.log(request, response, time);
		}

		private void refuse(Response response) throws IOException {
			GuardedHttp2Protocol.this.refused.malformed();
			ContainerProblems.answer(ProblemType.INVALID_REQUEST, response);
		}

		private boolean isWellFormed(Request request) {
			MessageBytes query = request.queryString();
			String target = request.requestURI() + (query.isNull() ? "" : "?" + query);
			MimeHeaders headers = request.getMimeHeaders();
			List<Map.Entry<String, String>> fields = new ArrayList<>();
			for (int i = 0; i < headers.size(); i++) {
				fields.add(Map.entry(headers.getName(i).toString(), String.valueOf(headers.getValue(i))));
			}
			if (headers.getValue(HttpHeaders.HOST) == null) {
				int port = request.getServerPort();
				fields.add(Map.entry(HttpHeaders.HOST, request.serverName() + ((port > 0) ? ":" + port : "")));
			}
			return RequestFraming.isWellFormed(request.getMethod(), target, fields,
					GuardedHttp2Protocol.this.maxHeadBytes);
		}

	}

}
