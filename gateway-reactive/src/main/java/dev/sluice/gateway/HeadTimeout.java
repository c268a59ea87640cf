package dev.sluice.gateway;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * Closes a connection on which a request has begun and does not come to the end of its
 * head in time, which reactor-netty takes for an idle one. Sits on both sides of the HTTP
 * codec: before it come bytes, after it requests. One for each connection, on its event
 * loop.
 */
final class HeadTimeout extends ChannelInboundHandlerAdapter {

	private final Duration limit;

	private boolean decoded;

	private boolean inBody;

	private @Nullable Future<?> deadline;

	private HeadTimeout(Duration limit) {
		this.limit = limit;
	}

	static void install(Channel channel, Duration limit) {
		HeadTimeout bytes = new HeadTimeout(limit);
		channel.pipeline()
			.addBefore(NettyPipeline.HttpCodec, HeadTimeout.class.getName(), bytes)
			.addAfter(NettyPipeline.HttpCodec, Decoded.class.getName(), bytes.new Decoded());
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
		this.decoded = false;
		super.channelRead(context, bytes);
		if (!this.decoded && !this.inBody && this.deadline == null) {
			this.deadline = context.executor()
				.schedule(() -> context.close(), this.limit.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) throws Exception {
		cancel();
		super.channelInactive(context);
	}

	private void cancel() {
		if (this.deadline != null) {
			this.deadline.cancel(false);
			this.deadline = null;
		}
	}

	private final class Decoded extends ChannelInboundHandlerAdapter {

		@Override
		public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
			HeadTimeout.this.decoded = true;
			HeadTimeout.this.inBody = !(message instanceof LastHttpContent);
			cancel();
			super.channelRead(context, message);
		}

	}

}
