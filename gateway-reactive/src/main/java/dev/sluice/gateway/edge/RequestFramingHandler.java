package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.http.RequestFraming;
import dev.sluice.gateway.core.http.RequestHead;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.metrics.RefusedRequests.Reason;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;

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

	private static final AttributeKey<RequestLimit.Place> PLACE = AttributeKey.valueOf(RequestLimit.Place.class,
			"place");

	private final RequestFraming framing;

	private final Duration headTimeout;

	private final RequestLimit requests;

	/** Of the request that was let in last. */
	private final Attribute<RequestLimit.Place> place;

	/** Bytes that were read and have not been passed on; null if there are none. */
	private @Nullable ByteBuf held;

	/** Number of those bytes that are known to be well-formed. */
	private int checked;

	/** Number of complete requests when bytes were last passed on. */
	private long completedBefore;

	/** Whether a request was let in whose body has not all been passed on. */
	private boolean inBody;

	private boolean answering;

	private boolean bodyWanted;

	private boolean closing;

	private int drained;

	private @Nullable Future<?> deadline;

	private RequestFramingHandler(Channel channel, int maxHeadBytes, Duration headTimeout, RequestLimit requests) {
		this.place = channel.attr(PLACE);
		this.framing = new RequestFraming(maxHeadBytes);
		this.headTimeout = headTimeout;
		this.requests = requests;
	}

	/**
	 * Guards a connection.
	 * @param channel the connection, with its codec for HTTP/1.1
	 * @param maxHeadBytes maximum size of a request's head, in bytes
	 * @param connections the other limits
	 * @param requests limits the requests of all connections
	 */
	public static void install(Channel channel, int maxHeadBytes, ConnectionProperties connections,
			RequestLimit requests) {
		RequestFramingHandler gate = new RequestFramingHandler(channel, maxHeadBytes, connections.headTimeout(),
				requests);
		ChannelPipeline pipeline = channel.pipeline();
		long writeMillis = connections.writeTimeout().toMillis();
		pipeline.addFirst(new WriteTimeoutHandler(writeMillis, TimeUnit.MILLISECONDS) {

			/** Without an exception, because it would be logged. */
			@Override
			protected void writeTimedOut(ChannelHandlerContext late) {
				late.close();
			}

		});
		pipeline.addBefore(NettyPipeline.HttpCodec, RequestFramingHandler.class.getName(), gate)
			.addAfter(NettyPipeline.HttpCodec, Answers.class.getName(), new Answers(gate));
	}

	/** The place of a request. */
	static RequestLimit.Place place(ServerHttpRequest request) {
		Connection connection = ServerHttpRequestDecorator.getNativeRequest(request);
		return Objects.requireNonNull(connection.channel().attr(PLACE).get());
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
		this.held = (this.held != null)
				? ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), this.held, bytes) : bytes;
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
		if (!this.inBody && !this.answering && !this.closing) {
			context.read();
		}
	}

	/** The application is ready for more. */
	@Override
	public void read(ChannelHandlerContext context) {
		if (this.inBody && !this.bodyWanted) {
			this.bodyWanted = true;
			advance(context);
			context.fireChannelReadComplete();
		}
		// Waiting bytes take no more than one buffer.
		if (this.held == null || !this.inBody && !this.answering) {
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
			else if (this.inBody) {
				this.inBody = !this.framing.isBetweenRequests();
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
				this.inBody = !this.framing.isBetweenRequests();
				RequestLimit.Place arrived = this.requests.arrive();
				this.place.set(arrived);
				try {
					arrived.admit(this.framing.head(), this.framing.isCompleteWith(this.held.readableBytes() - length));
					pass(context, length);
				}
				catch (ProblemException ex) {
					refuse(context, ex);
				}
			}
		}
	}

	private boolean mayPass() {
		return !this.inBody ? !this.answering : this.bodyWanted;
	}

	/** Checks the waiting bytes up to the end of the head or of the request. */
	private int check(ByteBuf bytes) {
		int unchecked = bytes.readableBytes() - this.checked;
		if (unchecked > 0 && this.framing.completed() == this.completedBefore) {
			this.checked += this.framing.checkPart(bytes.nioBuffer(bytes.readerIndex() + this.checked, unchecked));
		}
		return this.checked;
	}

	/**
	 * Answers by the head, before the codec sees it. The connection is closed only if the
	 * body has not arrived.
	 */
	private void refuse(ChannelHandlerContext context, ProblemException problem) {
		ByteBuf bytes = this.held;
		if (bytes == null) {
			return;
		}
		if (this.inBody) {
			check(bytes);
			this.inBody = !this.framing.isBetweenRequests();
		}
		RequestHead head = this.framing.head();
		boolean last = head.isLast() || this.inBody || this.framing.isBroken()
				|| problem.type() == ProblemType.SHUTTING_DOWN;
		this.completedBefore = this.framing.completed();
		bytes.skipBytes(this.checked);
		if (last || !bytes.isReadable()) {
			release();
		}
		this.checked = 0;
		send(context, problem.toBytes(head.method(), head.path(), last), last);
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
			this.deadline = context.executor().schedule(() -> {
				this.requests.refused().count(Reason.LATE);
				answerAndClose(context, ProblemType.REQUEST_TIMEOUT);
			}, this.headTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	boolean isInBody() {
		return this.inBody;
	}

	/** The next request may come in. */
	void answered(@Nullable ChannelHandlerContext gate) {
		this.answering = false;
		leave();
		if (gate != null && !gate.isRemoved()) {
			advance(gate);
			// No read of the socket completes here, so this starts the idle time.
			gate.fireChannelReadComplete();
			if (!this.answering) {
				gate.read();
			}
		}
	}

	private void refuse(ChannelHandlerContext context) {
		this.requests.refused().count(Reason.MALFORMED);
		cancelDeadline();
		if (!this.inBody) {
			answerAndClose(context, ProblemType.INVALID_REQUEST);
		}
		else {
			// The application reads the body, and answers.
			release();
			context.pipeline()
				.context(Answers.class)
				.fireExceptionCaught(StandardProblem.of(ProblemType.INVALID_REQUEST));
		}
	}

	private void answerAndClose(ChannelHandlerContext context, ProblemType type) {
		release();
		send(context, StandardProblem.of(type).toBytes("GET", null, true), true);
	}

	/** Answers before the codec. */
	private void send(ChannelHandlerContext context, byte[] answer, boolean last) {
		context.writeAndFlush(Unpooled.wrappedBuffer(answer)).addListener((_) -> {
			if (last) {
				context.channel().close();
			}
			else {
				answered(context);
			}
		});
	}

	/**
	 * The client may still be sending. Closes the output, and discards for a moment what
	 * the client sends, so that it reads the answer and not a reset.
	 */
	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.channel().closeFuture().addListener((_) -> promise.trySuccess());
		if (this.closing) {
			return;
		}
		boolean unread = this.held != null || this.inBody || this.framing.isBroken();
		this.closing = true;
		if (!unread || !context.channel().isActive() || !(context.channel() instanceof DuplexChannel channel)
				|| context.pipeline().get(SslHandler.class) != null) {
			context.close();
			return;
		}
		release();
		cancelDeadline();
		channel.shutdownOutput();
		this.deadline = context.executor()
			.schedule(() -> context.close(), DRAIN_TIME.toMillis(), TimeUnit.MILLISECONDS);
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
		leave();
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

	private void leave() {
		RequestLimit.Place current = this.place.get();
		if (current != null) {
			current.close();
		}
	}

	private void cancelDeadline() {
		if (this.deadline != null) {
			this.deadline.cancel(false);
			this.deadline = null;
		}
	}

}
