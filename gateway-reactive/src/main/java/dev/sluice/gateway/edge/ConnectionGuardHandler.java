package dev.sluice.gateway.edge;

import dev.sluice.gateway.core.config.ConnectionProperties;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import reactor.netty.NettyPipeline;

/**
 * Puts the handlers that protect the gateway into the pipeline of a connection, as soon
 * as its protocol is known: at once, or after the TLS handshake that negotiates it.
 * HTTP/2 has limits of its own, which reactor-netty enforces. One for each connection, on
 * its event loop.
 */
public final class ConnectionGuardHandler extends ChannelInboundHandlerAdapter {

	private static final ContainerProblems PROBLEMS = new ContainerProblems();

	private final int maxHeadBytes;

	private final ConnectionProperties connections;

	private ConnectionGuardHandler(int maxHeadBytes, ConnectionProperties connections) {
		this.maxHeadBytes = maxHeadBytes;
		this.connections = connections;
	}

	public static void install(Channel channel, int maxHeadBytes, ConnectionProperties connections) {
		ConnectionGuardHandler guard = new ConnectionGuardHandler(maxHeadBytes, connections);
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
			RequestFramingHandler.install(pipeline.channel(), this.maxHeadBytes, this.connections.headTimeout());
		}
	}

}
