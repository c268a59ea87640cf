package dev.sluice.gateway.edge;

import java.util.concurrent.TimeUnit;

import dev.sluice.gateway.core.config.ConnectionProperties;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.upgrade.InternalHttpUpgradeHandler;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Tomcat's HTTP/2 with bounds for what all connections together make it hold. A stream
 * takes some 25 KB of heap from its head on, so the more connections are open, the fewer
 * streams a new one gets. And a client that takes an answer byte by byte holds its thread
 * no longer than one that takes none.
 */
public final class GuardedHttp2Protocol extends Http2Protocol {

	/** Least number of streams, so that a request does not wait for an answer. */
	private static final int MIN_STREAMS = 2;

	/**
	 * What a client may send of a body before the application reads, in bytes. Tomcat has
	 * two buffers of this size for each body. Most orders are smaller.
	 */
	private static final int WINDOW_BYTES = 4 * 1024;

	private final int maxStreams;

	private final ThreadLocal<Answer> answers = new ThreadLocal<>();

	public GuardedHttp2Protocol(ConnectionProperties connections) {
		this.maxStreams = connections.maxStreams();
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
	public InternalHttpUpgradeHandler getInternalUpgradeHandler(SocketWrapperBase<?> socket, Adapter adapter,
			Request request) {
		return super.getInternalUpgradeHandler(socket, new AnswerAdapter(adapter), request);
	}

	/** Tomcat asks before each wait for the connection, on the thread that waits. */
	@Override
	public long getWriteTimeout() {
		return left(super.getWriteTimeout());
	}

	/** Tomcat asks before each wait for the stream, on the thread that waits. */
	@Override
	public long getStreamWriteTimeout() {
		return left(super.getStreamWriteTimeout());
	}

	private long left(long millis) {
		Answer answer = this.answers.get();
		return (answer != null) ? answer.left(millis) : millis;
	}

	/** Knows the answer that a thread writes. */
	private final class AnswerAdapter extends ForwardingAdapter {

		AnswerAdapter(Adapter delegate) {
			super(delegate);
		}

		@Override
		public void service(Request request, Response response) throws Exception {
			GuardedHttp2Protocol.this.answers.set(new Answer(response));
			try {
				super.service(request, response);
			}
			finally {
				GuardedHttp2Protocol.this.answers.remove();
			}
		}

		@Override
		public boolean asyncDispatch(Request request, Response response, SocketEvent event) throws Exception {
			GuardedHttp2Protocol.this.answers.set(new Answer(response));
			try {
				return super.asyncDispatch(request, response, event);
			}
			finally {
				GuardedHttp2Protocol.this.answers.remove();
			}
		}

	}

	/** Used by one thread. */
	private static final class Answer {

		private final Response response;

		private long sinceNanos;

		Answer(Response response) {
			this.response = response;
		}

		/**
		 * What is left of a time limit for the whole answer. It begins with the head: the
		 * application has made all of an answer before.
		 */
		long left(long millis) {
			if (!this.response.isCommitted()) {
				return millis;
			}
			long now = System.nanoTime();
			if (this.sinceNanos == 0) {
				this.sinceNanos = now;
			}
			// Tomcat takes 0 for no limit.
			return Math.max(1, millis - TimeUnit.NANOSECONDS.toMillis(now - this.sinceNanos));
		}

	}

}
