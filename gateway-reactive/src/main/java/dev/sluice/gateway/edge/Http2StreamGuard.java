package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import reactor.netty.Connection;
import reactor.netty.ConnectionObserver;
import reactor.netty.NettyPipeline;

/**
 * Puts the handlers that protect the gateway into the pipeline of each stream of HTTP/2.
 * At most {@code sluice.max-streams} are open at once, over all connections. A further
 * one is refused before anything is done for it ({@code REFUSED_STREAM}), so the client
 * may send it again. A request that {@link RequestFraming} finds ill-formed is answered
 * with 400.
 */
@ThreadSafe
public final class Http2StreamGuard implements ConnectionObserver {

	private final AtomicInteger open = new AtomicInteger();

	private final int max;

	private final Duration writeTimeout;

	private Http2StreamGuard(ConnectionProperties connections) {
		this.max = connections.maxStreams();
		this.writeTimeout = connections.writeTimeout();
	}

	public static ConnectionObserver observer(ConnectionProperties connections) {
		return new Http2StreamGuard(connections);
	}

	/** reactor-netty begins with a request. */
	@Override
	public void onStateChange(Connection connection, State newState) {
		Channel channel = connection.channel();
		if (newState == State.CONFIGURED && channel instanceof Http2StreamChannel
				&& channel.pipeline().get(Http2StreamEndHandler.class) == null) {
			boolean refused = this.open.incrementAndGet() > this.max;
			// The request is on its way already.
			channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, Gate.class.getName(), new Gate(refused));
			if (refused) {
				channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
			}
			channel.closeFuture().addListener((_) -> this.open.decrementAndGet());
			Http2StreamEndHandler.install(channel);
			WriteTimeout.install(channel.pipeline(), this.writeTimeout);
		}
	}

	/**
	 * Lets nothing in of a request that is refused, because there are too many or because
	 * it would be ill-formed over HTTP/1.1.
	 */
	private static final class Gate extends ChannelInboundHandlerAdapter {

		/** What the codec adds to the fields of a request. */
		private static final String CODECS_OWN = "x-http2-";

		private boolean refused;

		Gate(boolean refused) {
			this.refused = refused;
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (!this.refused && message instanceof HttpRequest request && !isWellFormed(request)) {
				this.refused = true;
				context.writeAndFlush(ContainerProblems.problem(ProblemType.INVALID_REQUEST));
			}
			if (this.refused) {
				ReferenceCountUtil.release(message);
			}
			else {
				context.fireChannelRead(message);
			}
		}

		private static boolean isWellFormed(HttpRequest request) {
			List<Map.Entry<String, String>> fields = request.headers()
				.entries()
				.stream()
				.filter((field) -> !field.getKey().startsWith(CODECS_OWN))
				.toList();
			return RequestFraming.isWellFormed(request.method().name(), request.uri(), fields);
		}

	}

}
