package dev.sluice.gateway;

import java.nio.charset.StandardCharsets;

import dev.sluice.contract.ProblemType;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.springframework.http.MediaType;

/**
 * What reactor-netty answers by itself, such as to a request line that it cannot read, as
 * a problem document in place of an empty body. A version of HTTP that is none of ours is
 * such a line too: reactor-netty would answer in it.
 */
@Sharable
final class ContainerProblems extends ChannelDuplexHandler {

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
		if (message instanceof HttpRequest request && !isOurs(request.protocolVersion())) {
			request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("Unknown version of HTTP")));
		}
		super.channelRead(context, message);
	}

	private static boolean isOurs(HttpVersion version) {
		return version.equals(HttpVersion.HTTP_1_1) || version.equals(HttpVersion.HTTP_1_0);
	}

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
		FullHttpResponse problem = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1,
				HttpResponseStatus.valueOf(type.status()), Unpooled.wrappedBuffer(body));
		problem.headers()
			.add(empty.headers())
			.set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE)
			.set(HttpHeaderNames.CONTENT_LENGTH, body.length);
		return problem;
	}

}
