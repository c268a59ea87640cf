package dev.sluice.gateway.edge;

import java.nio.ByteBuffer;

import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.SentFrames;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import reactor.netty.NettyPipeline;

/**
 * Puts the handlers that protect the gateway into the pipeline of a connection, as soon
 * as its protocol is known: at once, or after the TLS handshake that negotiates it.
 * {@link Http2StreamGuard} adds those of HTTP/2 streams. Each connection has an instance
 * of its own, confined to its event loop.
 */
public final class ConnectionGuardHandler extends ChannelInboundHandlerAdapter {

	private static final ContainerProblems PROBLEMS = new ContainerProblems();

	private final int maxHeadBytes;

	private final ConnectionProperties connections;

	private final RefusedRequests refused;

	private ConnectionGuardHandler(int maxHeadBytes, ConnectionProperties connections, RefusedRequests refused) {
		this.maxHeadBytes = maxHeadBytes;
		this.connections = connections;
		this.refused = refused;
	}

	public static void install(Channel channel, int maxHeadBytes, ConnectionProperties connections,
			RefusedRequests refused) {
		ConnectionGuardHandler guard = new ConnectionGuardHandler(maxHeadBytes, connections, refused);
		ChannelPipeline pipeline = channel.pipeline();
		if (pipeline.get(NettyPipeline.H2OrHttp11Codec) != null) {
			pipeline.addBefore(NettyPipeline.H2OrHttp11Codec, ConnectionGuardHandler.class.getName(), guard);
		}
		else {
			guard.guard(pipeline);
		}
	}

	/** On this event reactor-netty builds the pipeline of the protocol. */
	@Override
	public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
		super.userEventTriggered(context, event);
		if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
			ChannelPipeline pipeline = context.pipeline();
			pipeline.remove(this);
			guard(pipeline);
		}
	}

	private void guard(ChannelPipeline pipeline) {
		WriteTimeout.install(pipeline, this.connections.writeTimeout());
		if (pipeline.get(NettyPipeline.HttpCodec) instanceof HttpServerCodec) {
			pipeline.addAfter(NettyPipeline.HttpCodec, ContainerProblems.class.getName(), PROBLEMS);
			RequestFramingHandler.install(pipeline.channel(), this.maxHeadBytes, this.connections.headTimeout(),
					this.refused);
		}
		ChannelHandlerContext http2 = pipeline.context(Http2FrameCodec.class);
		if (http2 != null) {
			pipeline.addBefore(http2.name(), SentFramesHandler.class.getName(), new SentFramesHandler(this.refused));
		}
	}

	/** Reads the frames that the HTTP/2 codec sends. */
	private static final class SentFramesHandler extends ChannelOutboundHandlerAdapter {

		private final SentFrames frames;

		SentFramesHandler(RefusedRequests refused) {
			this.frames = new SentFrames(refused::http2);
		}

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
			if (message instanceof ByteBuf bytes) {
				for (ByteBuffer part : bytes.nioBuffers()) {
					this.frames.inspect(part);
				}
			}
			super.write(context, message, promise);
		}

	}

}
