package dev.sluice.gateway.edge;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.StandardProblem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.springframework.http.MediaType;

/**
 * Sends a problem document in place of the empty body with which reactor-netty answers by
 * itself, such as to a request that it cannot read.
 */
final class ContainerProblems extends ChannelOutboundHandlerAdapter {

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
		if (message instanceof FullHttpResponse response && response.status().code() >= 400
				&& !response.content().isReadable() && !response.headers().contains(HttpHeaderNames.CONTENT_TYPE)) {
			ProblemType type = StandardProblem.typeOf(response.status().code());
			ByteBuf body = Unpooled.wrappedBuffer(StandardProblem.document(type));
			FullHttpResponse problem = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
					HttpResponseStatus.valueOf(type.status()), body);
			problem.headers()
				.set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
				.set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
			if (response.headers().contains(HttpHeaderNames.CONNECTION)) {
				problem.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
			}
			super.write(context, problem, promise);
			response.release();
		}
		else {
			super.write(context, message, promise);
		}
	}

}
