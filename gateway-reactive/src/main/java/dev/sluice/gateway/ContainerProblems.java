package dev.sluice.gateway;

import java.nio.charset.StandardCharsets;

import dev.sluice.contract.ProblemType;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.springframework.http.MediaType;

/**
 * What reactor-netty answers by itself, such as to a request line that it cannot read, as
 * a problem document in place of an empty body.
 */
@Sharable
final class ContainerProblems extends ChannelOutboundHandlerAdapter {

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
		if (message instanceof FullHttpResponse response && response.status().code() >= 400
				&& !response.content().isReadable() && !response.headers().contains(HttpHeaderNames.CONTENT_TYPE)) {
			super.write(context, problem(response), promise);
			response.release();
		}
		else {
			super.write(context, message, promise);
		}
	}

	private static FullHttpResponse problem(FullHttpResponse empty) {
		ProblemType type = Problems.typeOf(empty.status().code());
		byte[] body = """
				{"type":"%s","title":"%s","status":%d,"detail":"%s"}"""
			.formatted(type.type(), type.title(), type.status(), Problems.detailOf(type))
			.getBytes(StandardCharsets.UTF_8);
		FullHttpResponse problem = new DefaultFullHttpResponse(empty.protocolVersion(),
				HttpResponseStatus.valueOf(type.status()), Unpooled.wrappedBuffer(body));
		problem.headers()
			.add(empty.headers())
			.set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
			.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
		return problem;
	}

}
