package dev.sluice.gateway.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Skips responses of the class 1xx, such as {@code 103 Early Hints}, which may come
 * before the backend's answer. Reactor Netty would take one for the answer, and what
 * arrives behind an answer for that to the next request: it ends the connection.
 */
final class InformationalResponses extends ChannelDuplexHandler {

	/** What has arrived, as the decoder leaves it. */
	private ByteBuf received = Unpooled.EMPTY_BUFFER;

	private boolean awaited;

	private boolean skipping;

	/** Stands before the decoder, which keeps bytes that are not a whole line yet. */
	ChannelInboundHandler bytes() {
		return new ChannelInboundHandlerAdapter() {

			@Override
			public void channelRead(ChannelHandlerContext context, Object message) {
				InformationalResponses.this.received = (ByteBuf) message;
				if (InformationalResponses.this.awaited) {
					context.fireChannelRead(message);
				}
				else {
					end(context, message);
				}
			}

		};
	}

	private static void end(ChannelHandlerContext context, Object message) {
		ReferenceCountUtil.release(message);
		context.close();
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		this.awaited |= message instanceof HttpRequest;
		context.write(message, promise);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (!this.awaited) {
			end(context, message);
			return;
		}
		this.skipping |= message instanceof HttpResponse response
				&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
		if (!this.skipping) {
			this.awaited = !(message instanceof LastHttpContent);
			if (!this.awaited && this.received.isReadable()) {
				// Before anybody else can have the connection.
				context.close();
			}
			context.fireChannelRead(message);
			return;
		}
		if (message instanceof LastHttpContent) {
			this.skipping = false;
			// Nobody else has seen anything that would make it read on.
			context.read();
		}
		ReferenceCountUtil.release(message);
	}

}
