package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpScheme;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.HttpConversionUtil;
import io.netty.util.ReferenceCountUtil;
import reactor.netty.Connection;
import reactor.netty.ConnectionObserver;

/**
 * Puts the handlers that protect the gateway into the pipeline of each HTTP/2 stream. At
 * most {@code sluice.max-streams} are open at once, over all connections. Beyond them a
 * connection that has none may open one, so that streams of other clients do not keep it
 * out. Further streams are refused before any processing ({@code REFUSED_STREAM}), so
 * clients may send them again. A stream whose head breaks the rules of HTTP/2 is reset. A
 * request that {@link RequestFraming} finds ill-formed is answered with 400.
 */
@ThreadSafe
public final class Http2StreamGuard implements ConnectionObserver {

	private final AtomicInteger open = new AtomicInteger();

	private final int maxHeadBytes;

	private final ConnectionProperties connections;

	private final RefusedRequests refused;

	public Http2StreamGuard(int maxHeadBytes, ConnectionProperties connections, RefusedRequests refused) {
		this.maxHeadBytes = maxHeadBytes;
		this.connections = connections;
		this.refused = refused;
	}

	@Override
	public void onStateChange(Connection connection, State newState) {
		if (newState == State.CONNECTED && connection.channel() instanceof Http2StreamChannel stream) {
			stream.pipeline().addFirst(new Gate());
			Http2StreamEndHandler.install(stream);
			WriteTimeout.install(stream.pipeline(), this.connections.writeTimeout());
		}
	}

	/**
	 * Takes a place for a stream, which keeps it until it is closed; false if none is
	 * free.
	 */
	private boolean takePlace(Channel stream) {
		if (this.open.incrementAndGet() > this.connections.maxStreams() && !isOnlyOne(stream)) {
			this.open.decrementAndGet();
			return false;
		}
		stream.closeFuture().addListener((_) -> this.open.decrementAndGet());
		return true;
	}

	private static boolean isOnlyOne(Channel stream) {
		Http2FrameCodec codec = stream.parent().pipeline().get(Http2FrameCodec.class);
		return codec.connection().remote().numActiveStreams() == 1;
	}

	/** Lets in no part of a request that is refused because of its head. */
	private final class Gate extends ChannelInboundHandlerAdapter {

		private boolean headRead;

		private boolean isRefused;

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (!this.headRead && message instanceof Http2HeadersFrame head) {
				this.headRead = true;
				this.isRefused = refuse(context, head.headers());
			}
			if (this.isRefused) {
				ReferenceCountUtil.release(message);
				context.read();
			}
			else {
				context.fireChannelRead(message);
			}
		}

		/**
		 * Netty resets the stream itself and closes it, which ends the request;
		 * reactor-netty would log the error, with a stack trace if nothing reads the
		 * body.
		 */
		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			if (!(cause instanceof Http2Exception)) {
				context.fireExceptionCaught(cause);
			}
		}

		/**
		 * Refuses the request, with an answer to the client, if it must; true if it did.
		 */
		private boolean refuse(ChannelHandlerContext context, Http2Headers head) {
			if (!keepsTheRules(head)) {
				// The codec behind this handler would fail, and the stream would stay
				// open.
				context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR));
				return true;
			}
			if (!takePlace(context.channel())) {
				context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM));
				return true;
			}
			if (!isWellFormed(head)) {
				Http2StreamGuard.this.refused.malformed();
				FullHttpResponse problem = ContainerProblems.problem(ProblemType.INVALID_REQUEST);
				context.write(new DefaultHttp2HeadersFrame(HttpConversionUtil.toHttp2Headers(problem, true)));
				context.writeAndFlush(new DefaultHttp2DataFrame(problem.content(), true));
				return true;
			}
			return false;
		}

		/**
		 * Checks rules of RFC 9113, sections 8.2.1 and 8.3.1, that Netty does not
		 * enforce.
		 */
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

		private boolean isWellFormed(Http2Headers head) {
			List<Map.Entry<String, String>> fields = new ArrayList<>();
			for (Map.Entry<CharSequence, CharSequence> field : head) {
				String name = field.getKey().toString();
				if (PseudoHeaderName.AUTHORITY.value().contentEquals(name)) {
					fields.add(Map.entry(HttpHeaderNames.HOST.toString(), field.getValue().toString()));
				}
				else if (!name.startsWith(":") && !HttpHeaderNames.COOKIE.contentEquals(name)) {
					fields.add(Map.entry(name, field.getValue().toString()));
				}
			}
			List<CharSequence> cookies = head.getAll(HttpHeaderNames.COOKIE);
			if (!cookies.isEmpty()) {
				// A client may send each crumb in a field of its own (section 8.2.3).
				fields.add(Map.entry(HttpHeaderNames.COOKIE.toString(), String.join("; ", cookies)));
			}
			return RequestFraming.isWellFormed(head.method().toString(), head.path().toString(), fields,
					Http2StreamGuard.this.maxHeadBytes);
		}

	}

}
