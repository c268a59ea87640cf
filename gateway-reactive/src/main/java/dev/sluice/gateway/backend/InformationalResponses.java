package dev.sluice.gateway.backend;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Skips responses of the class 1xx, such as {@code 103 Early Hints}, which may come
 * before the backend's answer. Reactor Netty would take one for the answer.
 */
final class InformationalResponses extends ChannelInboundHandlerAdapter {

	private boolean skipping;

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		this.skipping |= message instanceof HttpResponse response
				&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
		if (!this.skipping) {
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
