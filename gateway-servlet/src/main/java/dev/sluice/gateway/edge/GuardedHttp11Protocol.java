package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;

import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.limit.RequestLimit;
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
 * passes {@link ClientConnection} before Tomcat reads it, and a head has a time limit,
 * see {@link GuardedHttp11Processor}. Tomcat creates it by its class name; {@link #limit}
 * must be called before it starts.
 */
public final class GuardedHttp11Protocol extends Http11NioProtocol {

	private Duration headTimeout = Duration.ZERO;

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
	 * @param maxHeadBytes maximum size of a head, in bytes
	 * @param connections the other limits
	 * @param requests limits the requests of all connections
	 */
	public void limit(int maxHeadBytes, ConnectionProperties connections, RequestLimit requests) {
		Endpoint endpoint = (Endpoint) getEndpoint();
		endpoint.maxHeadBytes = maxHeadBytes;
		endpoint.writeTimeout = connections.writeTimeout();
		endpoint.requests = requests;
		this.headTimeout = connections.headTimeout();
	}

	Duration writeTimeout() {
		return ((Endpoint) getEndpoint()).writeTimeout;
	}

	Duration headTimeout() {
		return this.headTimeout;
	}

	RequestLimit requests() {
		return ((Endpoint) getEndpoint()).requests();
	}

	@Override
	protected Processor createProcessor() {
		return new GuardedHttp11Processor(this);
	}

	/** A channel of Tomcat that checks the bytes that it reads. */
	interface Guarded {

		/** The connection that uses it now, null if none does. */
		@Nullable ClientConnection connection();

	}

	private static final class Endpoint extends NioEndpoint {

		private int maxHeadBytes;

		private Duration writeTimeout = Duration.ZERO;

		private @Nullable RequestLimit requests;

		@Override
		protected NioChannel createChannel(SocketBufferHandler buffers) {
			return isSSLEnabled() ? new Secure(buffers, this) : new Plain(buffers, this);
		}

		RequestLimit requests() {
			return Objects.requireNonNull(this.requests, "limit must be called before the start");
		}

		ClientConnection connection(SocketChannel socket, boolean plain) {
			return new ClientConnection(socket, plain, this.maxHeadBytes, this.writeTimeout, requests().refused());
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
			this.connection = (socket != null) ? this.endpoint.connection(socket, true) : null;
		}

		@Override
		public @Nullable ClientConnection connection() {
			return this.connection;
		}

		@Override
		public int read(ByteBuffer target) throws IOException {
			return (this.connection != null) ? this.connection.read(super::read, target) : super.read(target);
		}

		@Override
		public int write(ByteBuffer source) throws IOException {
			return (this.connection != null) ? this.connection.write(super::write, source) : super.write(source);
		}

		@Override
		public void close() throws IOException {
			try {
				if (this.connection != null) {
					this.connection.drain();
				}
			}
			finally {
				super.close();
			}
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
			this.connection = (socket != null) ? this.endpoint.connection(socket, false) : null;
		}

		@Override
		public @Nullable ClientConnection connection() {
			return this.connection;
		}

		@Override
		public int read(ByteBuffer target) throws IOException {
			return (this.connection != null) ? this.connection.read(super::read, target) : super.read(target);
		}

		@Override
		public int write(ByteBuffer source) throws IOException {
			return (this.connection != null) ? this.connection.write(super::write, source) : super.write(source);
		}

		@Override
		public void close() throws IOException {
			try {
				if (this.connection != null) {
					this.connection.drain();
				}
			}
			finally {
				super.close();
			}
		}

	}

}
