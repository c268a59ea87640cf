package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;

import dev.sluice.gateway.core.limit.RequestLimit;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 over NIO with the gateway's own rules for connections: every byte
 * passes {@link ClientConnection} before Tomcat reads it, see
 * {@link GuardedHttp11Processor}. Tomcat creates it by its class name; {@link #limit}
 * must be called before it starts.
 */
public final class GuardedHttp11Protocol extends Http11NioProtocol {

	public GuardedHttp11Protocol() {
		super(new Endpoint());
	}

	/**
	 * Without a domain Tomcat registers no processor as an MBean. It would do so for each
	 * new connection beyond its cache of processors, under one lock, where thousands of
	 * virtual threads waited under overload.
	 */
	@Override
	public void init() throws Exception {
		super.init();
		this.domain = null;
	}

	/**
	 * Sets the limits of each connection.
	 * @param connector the connector that it is part of
	 * @param maxHeadBytes maximum size of a head, in bytes
	 * @param requests limits the requests of all connections
	 */
	public void limit(Connector connector, int maxHeadBytes, RequestLimit requests) {
		((Endpoint) getEndpoint()).limits = new Limits(connector, maxHeadBytes, requests);
	}

	@Override
	protected Processor createProcessor() {
		return new GuardedHttp11Processor(this, ((Endpoint) getEndpoint()).limits());
	}

	/** What {@link #limit} sets. */
	record Limits(Connector connector, int maxHeadBytes, RequestLimit requests) {
	}

	/** A channel of Tomcat from which Tomcat reads what its connection has received. */
	interface Guarded {

		/** The connection that uses it now, null if none does. */
		@Nullable ClientConnection connection();

		/** See {@link ClientConnection#receive}. */
		int receive() throws IOException;

	}

	private static final class Endpoint extends NioEndpoint {

		private @Nullable Limits limits;

		@Override
		protected NioChannel createChannel(SocketBufferHandler buffers) {
			return isSSLEnabled() ? new Secure(buffers, this) : new Plain(buffers, this);
		}

		Limits limits() {
			return Objects.requireNonNull(this.limits, "limit must be called before the start");
		}

		@Nullable ClientConnection connection(@Nullable SocketChannel socket, boolean plain) {
			return (socket != null) ? new ClientConnection(socket, plain, limits()) : null;
		}

	}

	/** Tomcat reuses a channel for other connections. */
	private static final class Plain extends NioChannel implements Guarded {

		private final Endpoint endpoint;

		private @Nullable ClientConnection connection;

		Plain(SocketBufferHandler buffers, Endpoint endpoint) {
			super(buffers);
			this.endpoint = endpoint;
		}

		@Override
		public void reset(@Nullable SocketChannel socket, @Nullable NioSocketWrapper wrapper) throws IOException {
			super.reset(socket, wrapper);
			this.connection = this.endpoint.connection(socket, true);
		}

		@Override
		public @Nullable ClientConnection connection() {
			return this.connection;
		}

		@Override
		public int receive() throws IOException {
			this.socketWrapper.updateLastRead();
			return (this.connection != null) ? this.connection.receive(getBufHandler(), super::read) : -1;
		}

		@Override
		public int read(ByteBuffer target) {
			return (this.connection != null) ? this.connection.read(target) : -1;
		}

	}

	private static final class Secure extends SecureNioChannel implements Guarded {

		private final Endpoint endpoint;

		private @Nullable ClientConnection connection;

		Secure(SocketBufferHandler buffers, Endpoint endpoint) {
			super(buffers, endpoint);
			this.endpoint = endpoint;
		}

		@Override
		public void reset(@Nullable SocketChannel socket, @Nullable NioSocketWrapper wrapper) throws IOException {
			super.reset(socket, wrapper);
			this.connection = this.endpoint.connection(socket, false);
		}

		@Override
		public @Nullable ClientConnection connection() {
			return this.connection;
		}

		@Override
		public int receive() throws IOException {
			this.socketWrapper.updateLastRead();
			return (this.connection != null) ? this.connection.receive(getBufHandler(), super::read) : -1;
		}

		@Override
		public int read(ByteBuffer target) {
			return (this.connection != null) ? this.connection.read(target) : -1;
		}

	}

}
