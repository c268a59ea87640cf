package dev.sluice.gateway.edge;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Objects;

import dev.sluice.gateway.core.limit.RequestLimit;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.collections.SynchronizedStack;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 over NIO with the gateway's own rules for connections: Tomcat gets a
 * request from its {@link ClientConnection} when it has arrived completely. Tomcat
 * creates it by its class name; {@link #limit} must be called before it starts.
 */
public final class GuardedHttp11Protocol extends Http11NioProtocol {

	public GuardedHttp11Protocol() {
		super(new Endpoint());
		Gate gate = new Gate(this);
		setHandler(gate);
		getEndpoint().setHandler(gate);
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
		return new GuardedHttp11Processor(this, ((Endpoint) getEndpoint()).limits().connector());
	}

	/** What {@link #limit} sets. */
	private record Limits(Connector connector, int maxHeadBytes, RequestLimit requests) {
	}

	/** Lets Tomcat process the events of a connection while it has a request. */
	private static final class Gate extends ConnectionHandler<NioChannel> {

		Gate(GuardedHttp11Protocol protocol) {
			super(protocol);
		}

		@Override
		public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
			ClientConnection connection = (ClientConnection) socket;
			if (connection.isInProgress()) {
				return super.process(socket, event);
			}
			try {
				SocketState state = connection.process(event);
				return connection.isInProgress() ? super.process(socket, SocketEvent.OPEN_READ) : state;
			}
			catch (IOException _) {
				return SocketState.CLOSED;
			}
		}

	}

	private static final class Endpoint extends NioEndpoint {

		private @Nullable Limits limits;

		Limits limits() {
			return Objects.requireNonNull(this.limits, "limit must be called before the start");
		}

		/** As Tomcat does, with a connection of another class. */
		@Override
		protected boolean setSocketOptions(SocketChannel socket) {
			try {
				socket.configureBlocking(false);
				getSocketProperties().setProperties(socket.socket());
				SynchronizedStack<NioChannel> unused = getNioChannels();
				NioChannel channel = (unused != null) ? unused.pop() : null;
				if (channel == null) {
					channel = createChannel(new SocketBufferHandler(getSocketProperties().getAppReadBufSize(),
							getSocketProperties().getAppWriteBufSize(), getSocketProperties().getDirectBuffer()));
				}
				ClientConnection connection = new ClientConnection(channel, this, limits().requests(),
						limits().maxHeadBytes());
				channel.reset(socket, connection);
				this.connections.put(socket, connection);
				connection.setReadTimeout(getConnectionTimeout());
				connection.setWriteTimeout(getConnectionTimeout());
				connection.setKeepAliveLeft(getMaxKeepAliveRequests());
				getPoller().register(connection);
				return true;
			}
			catch (IOException | RuntimeException | Error ex) {
				getLog().error("A connection could not be set up", ex);
				destroySocket(socket);
				return false;
			}
		}

	}

}
