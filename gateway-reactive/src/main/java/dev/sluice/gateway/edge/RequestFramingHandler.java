package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;
import reactor.netty.channel.ChannelOperations;

/**
 * Lets the requests of an HTTP/1.1 connection in, one at a time: the next one waits until
 * the one before is answered, and the body of a request waits until the application wants
 * it. Waiting bytes stay in the socket, except for the last buffer that was read. A
 * request that {@link RequestFraming} finds ill-formed is answered with 400, a head that
 * does not end within {@code sluice.head-timeout} with 408, and the connection is closed.
 * It is also closed after an answer to a request of which the body was not read.
 * <p>
 * It has handlers on both sides of the HTTP codec: bytes arrive before it, answers leave
 * behind it. Each connection has an instance of its own, confined to its event loop.
 */
public final class RequestFramingHandler extends ChannelDuplexHandler {

	/** Maximum number of bytes that are read and discarded before a close. */
	private static final int MAX_DRAINED_BYTES = 64 * 1024;

	/** Maximum time to wait for a client to stop sending before a close. */
	private static final Duration DRAIN_TIME = Duration.ofSeconds(1);

	/** Statuses after which the connection is closed, the same as Tomcat's. */
	private static final Set<Integer> CLOSING = Set.of(400, 408, 411, 413, 414, 500, 501, 503);

	private final RequestFraming framing;

	private final Duration headTimeout;

	private final RefusedRequests refused;

	/** Bytes that were read and have not been passed on; null if there are none. */
	private @Nullable ByteBuf held;

	/** Number of those bytes that are known to be well-formed. */
	private int checked;

	/** Number of complete requests when bytes were last passed on. */
	private long completedBefore;

	private Stage stage = Stage.HEAD;

	private boolean answering;

	private boolean bodyWanted;

	private boolean closing;

	private int drained;

	private @Nullable Future<?> deadline;

	private RequestFramingHandler(int maxHeadBytes, Duration headTimeout, RefusedRequests refused) {
		this.framing = new RequestFraming(maxHeadBytes);
		this.headTimeout = headTimeout;
		this.refused = refused;
	}

	/**
	 * Guards a connection.
	 * @param channel the connection, with its codec for HTTP/1.1
	 * @param maxHeadBytes maximum size of a request's head, in bytes
	 * @param connections the other limits
	 * @param refused counts refused requests
	 */
	public static void install(Channel channel, int maxHeadBytes, ConnectionProperties connections,
			RefusedRequests refused) {
		RequestFramingHandler gate = new RequestFramingHandler(maxHeadBytes, connections.headTimeout(), refused);
		ChannelPipeline pipeline = channel.pipeline();
		WriteTimeout.install(pipeline, connections.writeTimeout());
		pipeline.addBefore(NettyPipeline.HttpCodec, RequestFramingHandler.class.getName(), gate)
			.addAfter(NettyPipeline.HttpCodec, ContainerProblems.class.getName(), new ContainerProblems())
			.addAfter(NettyPipeline.HttpCodec, Answers.class.getName(), gate.new Answers());
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		ByteBuf bytes = (ByteBuf) message;
		if (this.closing) {
			drain(context, bytes);
			return;
		}
		if (this.framing.isBroken()) {
			// The answer is being sent.
			bytes.release();
			return;
		}
		if (this.held == null) {
			this.held = bytes;
		}
		else {
			ByteBuf before = this.held;
			this.held = context.alloc().buffer(before.readableBytes() + bytes.readableBytes());
			this.held.writeBytes(before).writeBytes(bytes);
			before.release();
			bytes.release();
		}
		advance(context);
		shrink(context);
	}

	/**
	 * Copies a few bytes, so that they do not retain the whole buffer that they were read
	 * into.
	 */
	private void shrink(ChannelHandlerContext context) {
		ByteBuf large = this.held;
		if (large != null && large.readableBytes() < large.capacity() / 2) {
			this.held = context.alloc().buffer(large.readableBytes()).writeBytes(large);
			large.release();
		}
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		context.fireChannelReadComplete();
		// Nothing has been passed on, so no other handler asks for more.
		if (this.stage == Stage.HEAD && !this.answering && !this.closing) {
			context.read();
		}
	}

	/** The application is ready for more. */
	@Override
	public void read(ChannelHandlerContext context) {
		if (this.stage == Stage.BODY && !this.bodyWanted) {
			this.bodyWanted = true;
			advance(context);
			context.fireChannelReadComplete();
		}
		// Waiting bytes take no more than one buffer.
		if (this.held == null || this.stage == Stage.HEAD && !this.answering) {
			context.read();
		}
	}

	/** Passes on the bytes that may be passed on. */
	private void advance(ChannelHandlerContext context) {
		while (this.held != null && !this.closing && mayPass()) {
			int length = check(this.held);
			if (this.framing.isBroken()) {
				refuse(context);
			}
			else if (this.stage == Stage.BODY) {
				if (this.framing.isBetweenRequests()) {
					this.stage = Stage.HEAD;
				}
				pass(context, length);
			}
			else if (this.framing.isInHead()
					|| this.framing.isBetweenRequests() && this.framing.completed() == this.completedBefore) {
				awaitHead(context);
				return;
			}
			else {
				cancelDeadline();
				this.answering = true;
				this.bodyWanted = false;
				this.stage = this.framing.isBetweenRequests() ? Stage.HEAD : Stage.BODY;
				pass(context, length);
			}
		}
	}

	private boolean mayPass() {
		return (this.stage == Stage.HEAD) ? !this.answering : this.bodyWanted;
	}

	/** Checks the waiting bytes up to the end of the head or of the request. */
	private int check(ByteBuf bytes) {
		int unchecked = bytes.readableBytes() - this.checked;
		if (unchecked > 0 && this.framing.completed() == this.completedBefore) {
			this.checked += this.framing.checkPart(bytes.nioBuffer(bytes.readerIndex() + this.checked, unchecked));
		}
		return this.checked;
	}

	private void pass(ChannelHandlerContext context, int length) {
		ByteBuf bytes = this.held;
		if (bytes == null) {
			return;
		}
		this.completedBefore = this.framing.completed();
		this.checked = 0;
		ByteBuf part;
		if (length == bytes.readableBytes()) {
			this.held = null;
			part = bytes;
		}
		else {
			part = bytes.readRetainedSlice(length);
		}
		context.fireChannelRead(part);
	}

	/** The time limit of a head starts with its first byte, or when its turn comes. */
	private void awaitHead(ChannelHandlerContext context) {
		if (this.deadline == null && this.framing.isInHead()) {
			this.deadline = context.executor()
				.schedule(() -> endLate(context), this.headTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void endLate(ChannelHandlerContext context) {
		this.refused.late();
		answerAndClose(context, ProblemType.REQUEST_TIMEOUT);
	}

	private void refuse(ChannelHandlerContext context) {
		this.refused.malformed();
		cancelDeadline();
		if (this.stage == Stage.HEAD) {
			answerAndClose(context, ProblemType.INVALID_REQUEST);
		}
		else {
			// The application reads the body, and answers.
			release();
			behindCodec(context).fireExceptionCaught(new IllFormedBodyException());
		}
	}

	private void answerAndClose(ChannelHandlerContext context, ProblemType type) {
		release();
		behindCodec(context).writeAndFlush(ContainerProblems.problem(type, !this.framing.isHeadRequest()))
			.addListener((_) -> context.channel().close());
	}

	private static ChannelHandlerContext behindCodec(ChannelHandlerContext context) {
		return context.pipeline().context(Answers.class);
	}

	/**
	 * The client may still be sending. Closes the output, and discards for a moment what
	 * the client sends, so that it reads the answer and not a reset.
	 */
	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		if (this.closing) {
			context.channel().closeFuture().addListener((_) -> promise.trySuccess());
			return;
		}
		boolean unread = this.held != null || this.stage == Stage.BODY || this.framing.isBroken();
		this.closing = true;
		if (!unread || !context.channel().isActive() || !(context.channel() instanceof DuplexChannel channel)
				|| context.pipeline().get(SslHandler.class) != null) {
			context.close(promise);
			return;
		}
		release();
		cancelDeadline();
		channel.shutdownOutput();
		this.deadline = context.executor()
			.schedule(() -> context.close(), DRAIN_TIME.toMillis(), TimeUnit.MILLISECONDS);
		context.channel().closeFuture().addListener((_) -> promise.trySuccess());
		context.read();
	}

	private void drain(ChannelHandlerContext context, ByteBuf bytes) {
		this.drained += bytes.readableBytes();
		bytes.release();
		if (this.drained > MAX_DRAINED_BYTES) {
			context.close();
		}
		else {
			context.read();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) throws Exception {
		cancelDeadline();
		release();
		super.channelInactive(context);
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		cancelDeadline();
		release();
	}

	private void release() {
		if (this.held != null) {
			this.held.release();
			this.held = null;
		}
		this.checked = 0;
	}

	private void cancelDeadline() {
		if (this.deadline != null) {
			this.deadline.cancel(false);
			this.deadline = null;
		}
	}

	/** What a request needs next. */
	private enum Stage {

		HEAD, BODY

	}

	/** Handles the answers to the codec and the requests from it. */
	private final class Answers extends ChannelDuplexHandler {

		private boolean last;

		/**
		 * A client that sends no body does not wait for 100 (Continue), even if it says
		 * so. An empty port is legal, but reactor-netty cannot read it.
		 */
		@Override
		public void channelRead(ChannelHandlerContext context, Object message) {
			if (message instanceof HttpRequest request) {
				if (RequestFramingHandler.this.stage == Stage.HEAD) {
					request.headers().remove(HttpHeaderNames.EXPECT);
				}
				String host = request.headers().get(HttpHeaderNames.HOST, "");
				if (host.endsWith(":")) {
					request.headers().set(HttpHeaderNames.HOST, host.substring(0, host.length() - 1));
				}
			}
			context.fireChannelRead(message);
		}

		@Override
		public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
			if (message instanceof HttpResponse response
					&& response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
				if (CLOSING.contains(response.status().code()) || RequestFramingHandler.this.stage == Stage.BODY
						|| !HttpUtil.isKeepAlive(response)) {
					response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
				}
				this.last = response.headers().contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
			}
			if (!(message instanceof LastHttpContent) || message instanceof HttpResponse response
					&& response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
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
			if (exchange == null) {
				answered(context);
				return;
			}
			exchange.onTerminate().subscribe(null, null, () -> context.executor().execute(() -> answered(context)));
		}

		private void answered(ChannelHandlerContext context) {
			RequestFramingHandler.this.answering = false;
			ChannelHandlerContext gate = context.pipeline().context(RequestFramingHandler.this);
			if (gate != null) {
				advance(gate);
				// No read of the socket completes here, so this starts the idle time.
				gate.fireChannelReadComplete();
				if (!RequestFramingHandler.this.answering) {
					gate.read();
				}
			}
		}

	}

	/**
	 * The body's framing breaks the rules of HTTP. Expected, so it has no stack trace.
	 */
	private static final class IllFormedBodyException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		IllFormedBodyException() {
			super("The body is ill-formed", null, false, false);
		}

	}

}
