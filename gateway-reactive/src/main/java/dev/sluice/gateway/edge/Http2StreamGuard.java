package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpScheme;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import reactor.netty.Connection;
import reactor.netty.ConnectionObserver;
import reactor.netty.NettyPipeline;

/**
 * Puts the handlers that protect the gateway into the pipeline of each stream of HTTP/2.
 * At most {@code sluice.max-streams} are open at once, over all connections. A further
 * one is refused before anything is done for it ({@code REFUSED_STREAM}), so the client
 * may send it again. A stream whose head breaks the rules of HTTP/2 is reset. A request
 * that {@link RequestFraming} finds ill-formed is answered with 400.
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
		if (newState == State.CONNECTED && channel instanceof Http2StreamChannel) {
			channel.pipeline().addFirst(new HeadRules());
		}
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
	 * Resets a stream whose head breaks the rules of HTTP/2 (RFC 9113, sections 8.2.1 and
	 * 8.3.1). The codec behind it would fail, and the stream would stay open.
	 */
	private static final class HeadRules extends ChannelInboundHandlerAdapter {

		private boolean read;

		private boolean refused;

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (!this.read && message instanceof Http2HeadersFrame head) {
				this.read = true;
				this.refused = !keepsTheRules(head.headers());
				if (this.refused) {
					context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR));
				}
			}
			if (this.refused) {
				ReferenceCountUtil.release(message);
			}
			else {
				context.fireChannelRead(message);
			}
		}

		/** Netty resets the stream itself; reactor-netty would log a stack trace. */
		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			if (this.read || !(cause instanceof Http2Exception)) {
				context.fireExceptionCaught(cause);
			}
		}

		private static boolean keepsTheRules(Http2Headers head) {
			return hasOne(head, PseudoHeaderName.METHOD) && hasOne(head, PseudoHeaderName.PATH)
					&& hasOne(head, PseudoHeaderName.SCHEME) && HttpScheme.HTTPS.name().contentEquals(head.scheme())
					&& StreamSupport.stream(head.spliterator(), false).noneMatch((field) -> isPadded(field.getValue()));
		}

		private static boolean hasOne(Http2Headers head, PseudoHeaderName name) {
			List<CharSequence> values = head.getAll(name.value());
			return values.size() == 1 && !values.getFirst().isEmpty();
		}

		private static boolean isPadded(CharSequence value) {
			return !value.isEmpty() && (isSpace(value.charAt(0)) || isSpace(value.charAt(value.length() - 1)));
		}

		private static boolean isSpace(char character) {
			return character == ' ' || character == '\t';
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
