package dev.sluice.gateway.edge;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;

/**
 * Ends an HTTP/2 stream with its answer, even if the request's body has not arrived: the
 * client is asked to stop sending it (RFC 9113, section 8.1). Without this the stream
 * would stay open, and a client that sends before it reads would wait.
 */
@Sharable
final class Http2StreamEndHandler extends ChannelOutboundHandlerAdapter {

	private static final Http2StreamEndHandler INSTANCE = new Http2StreamEndHandler();

	private Http2StreamEndHandler() {
	}

	static void install(Channel stream) {
		stream.pipeline().addFirst(INSTANCE);
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		ChannelPromise written = promise.unvoid();
		context.write(message, written);
		if (message instanceof Http2HeadersFrame headers && headers.isEndStream()
				|| message instanceof Http2DataFrame data && data.isEndStream()) {
			written.addListener((_) -> reset(context));
		}
	}

	private static void reset(ChannelHandlerContext context) {
		if (context.channel() instanceof Http2StreamChannel channel
				&& channel.stream().state() == Http2Stream.State.HALF_CLOSED_LOCAL) {
			context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.NO_ERROR));
		}
	}

}
