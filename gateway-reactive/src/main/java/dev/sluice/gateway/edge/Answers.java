package dev.sluice.gateway.edge;

import java.util.Set;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;
import reactor.netty.channel.ChannelOperations;

/**
 * The part of {@link RequestFramingHandler} behind the codec: handles the answers to the
 * codec and the requests from it.
 */
final class Answers extends ChannelDuplexHandler {

	/** Statuses after which the connection is closed, Tomcat's without 503. */
	private static final Set<Integer> CLOSING = Set.of(400, 408, 411, 413, 414, 500, 501);

	private final RequestFramingHandler gate;

	private boolean last;

	Answers(RequestFramingHandler gate) {
		this.gate = gate;
	}

	/**
	 * No client still waits for 100 (Continue). The form of {@code Host} has been
	 * checked, nothing uses it, and reactor-netty cannot read some that are legal, such
	 * as one with an empty port.
	 */
	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (message instanceof HttpRequest request) {
			request.headers().remove(HttpHeaderNames.HOST).remove(HttpHeaderNames.EXPECT);
		}
		context.fireChannelRead(message);
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (message instanceof HttpResponse response) {
			if (CLOSING.contains(response.status().code()) || !HttpUtil.isKeepAlive(response)) {
				response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
			}
			this.last = response.headers().contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
		}
		if (!(message instanceof LastHttpContent)) {
			context.write(message, promise);
			return;
		}
		ChannelPromise written = promise.unvoid();
		context.write(message, written);
		if (this.last) {
			written.addListener(ChannelFutureListener.CLOSE);
		}
		else {
			ChannelOperations<?, ?> exchange = ChannelOperations.get(context.channel());
			written.addListener((_) -> context.executor().execute(() -> ending(context, exchange)));
		}
	}

	/**
	 * Waits for the end of the exchange: reactor-netty loses a request that it gets
	 * earlier.
	 */
	private void ending(ChannelHandlerContext context, @Nullable ChannelOperations<?, ?> exchange) {
		ChannelHandlerContext before = context.pipeline().context(this.gate);
		if (exchange == null) {
			this.gate.answered(before);
			return;
		}
		exchange.onTerminate()
			.subscribe(null, null, () -> context.executor().execute(() -> this.gate.answered(before)));
	}

}
