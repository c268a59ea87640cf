package dev.sluice.gateway.edge;

import dev.sluice.gateway.core.config.ConnectionProperties;
import org.apache.coyote.http2.Http2Protocol;

/**
 * Tomcat's HTTP/2 with bounds for what all connections together make it hold. A stream
 * takes some 25 KB of heap from its head on, so the more connections are open, the fewer
 * streams a new one gets.
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

}
