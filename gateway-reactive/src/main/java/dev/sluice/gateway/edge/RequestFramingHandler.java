package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.sluice.gateway.core.limit.ArrivingRequest;
import dev.sluice.gateway.core.limit.RequestLimit;
import dev.sluice.gateway.core.problem.ProblemException;
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
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * Lets the requests of an HTTP/1.1 connection in, one at a time: each when it has arrived
 * completely, see {@link ArrivingRequest}, and the one before is answered. Bytes behind
 * it stay in the socket, except for the last buffer that was read. A request that is
 * refused is answered here; the connection is closed unless the request had arrived
 * completely.
 * <p>
 * It has handlers on both sides of the HTTP codec: bytes arrive before it, answers leave
 * behind it. Each connection has an instance of its own, confined to its event loop.
 */
public final class RequestFramingHandler extends ChannelDuplexHandler {

	/** Maximum time to wait for a client to stop sending before a close. */
	private static final Duration DRAIN_TIME = Duration.ofSeconds(1);

	private ArrivingRequest arriving;

	/** Bytes that were read and have not been passed on; null if there are none. */
	private @Nullable ByteBuf held;

	/** Number of those bytes that belong to the request that is arriving. */
	private int checked;

	private State state = State.ARRIVING;

	private @Nullable Future<?> deadline;

	private RequestFramingHandler(ArrivingRequest arriving) {
		this.arriving = arriving;
	}

	/**
	 * Guards a connection.
	 * @param channel the connection, with its codec for HTTP/1.1
	 * @param maxHeadBytes maximum size of a request's head, in bytes
	 * @param requests limits the requests of all connections
	 */
	public static void install(Channel channel, int maxHeadBytes, RequestLimit requests) {
		RequestFramingHandler gate = new RequestFramingHandler(
				new ArrivingRequest(requests, maxHeadBytes, channel.eventLoop().ticker()::nanoTime));
		ChannelPipeline pipeline = channel.pipeline();
		long writeMillis = requests.connections().writeTimeout().toMillis();
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

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		ByteBuf bytes = (ByteBuf) message;
		switch (this.state) {
			case ARRIVING, ANSWERING -> {
				this.held = (this.held != null)
						? ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), this.held, bytes) : bytes;
				advance(context);
				shrink(context);
			}
			case REFUSED, CLOSING -> bytes.release();
		}
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
		if (this.state != State.ANSWERING) {
			context.read();
		}
	}

	/** The application is ready for more, or waits for the client to disconnect. */
	@Override
	public void read(ChannelHandlerContext context) {
		// Waiting bytes take no more than one buffer.
		if (this.held == null || this.state != State.ANSWERING) {
			context.read();
		}
	}

	private void advance(ChannelHandlerContext context) {
		while (this.held != null && this.state == State.ARRIVING) {
			ByteBuf bytes = this.held;
			cancelDeadline();
			try {
				this.checked += this.arriving
					.check(bytes.nioBuffer(bytes.readerIndex() + this.checked, bytes.readableBytes() - this.checked));
				if (!this.arriving.isComplete()) {
					awaitRest(context);
					return;
				}
				this.arriving.admit();
				this.state = State.ANSWERING;
				pass(context, bytes);
			}
			catch (ProblemException ex) {
				refuse(context, ex);
			}
		}
	}

	/** The time limit of a head starts with its first byte, or when its turn comes. */
	private void awaitRest(ChannelHandlerContext context) {
		byte[] question = this.arriving.ask();
		if (question != null) {
			context.writeAndFlush(Unpooled.wrappedBuffer(question));
		}
		Duration left = this.arriving.left();
		if (left != null) {
			this.deadline = context.executor()
				.schedule(() -> refuse(context, this.arriving.late()), left.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private void pass(ChannelHandlerContext context, ByteBuf bytes) {
		ByteBuf request = bytes;
		if (this.checked == bytes.readableBytes()) {
			this.held = null;
		}
		else {
			request = bytes.readRetainedSlice(this.checked);
		}
		this.checked = 0;
		context.fireChannelRead(request);
	}

	/** Answers before the codec. */
	private void refuse(ChannelHandlerContext context, ProblemException problem) {
		cancelDeadline();
		byte[] answer = this.arriving.answer(problem);
		this.state = this.arriving.isLast(problem) ? State.REFUSED : State.ANSWERING;
		if (this.held != null) {
			this.held.skipBytes(this.checked);
			this.checked = 0;
		}
		if (this.state == State.REFUSED || this.held != null && !this.held.isReadable()) {
			release();
		}
		context.writeAndFlush(Unpooled.wrappedBuffer(answer)).addListener((_) -> {
			if (this.state == State.REFUSED) {
				context.channel().close();
			}
			else {
				answered(context);
			}
		});
	}

	/** The next request may come in. */
	void answered(@Nullable ChannelHandlerContext gate) {
		this.arriving = this.arriving.next();
		if (this.state == State.ANSWERING && gate != null && !gate.isRemoved()) {
			this.state = State.ARRIVING;
			advance(gate);
			// No read of the socket completes here, so this starts the idle time.
			gate.fireChannelReadComplete();
			if (this.state != State.ANSWERING) {
				gate.read();
			}
		}
	}

	/**
	 * The client may still be sending. Closes the output, and discards for a moment what
	 * the client sends, so that it reads the answer and not a reset.
	 */
	@Override
	public void close(ChannelHandlerContext context, ChannelPromise promise) {
		context.channel().closeFuture().addListener((_) -> promise.trySuccess());
		if (this.state == State.CLOSING) {
			return;
		}
		boolean unread = this.held != null || this.state == State.REFUSED && !this.arriving.isComplete();
		this.state = State.CLOSING;
		release();
		cancelDeadline();
		if (!unread || !context.channel().isActive() || !(context.channel() instanceof DuplexChannel channel)
				|| context.pipeline().get(SslHandler.class) != null) {
			context.close();
			return;
		}
		channel.shutdownOutput();
		this.deadline = context.executor()
			.schedule(() -> context.close(), DRAIN_TIME.toMillis(), TimeUnit.MILLISECONDS);
		context.read();
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) throws Exception {
		this.arriving.end();
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

	private enum State {

		/** A request is arriving, or none. */
		ARRIVING,

		/** A request is in progress, or its refusal is being sent. */
		ANSWERING,

		/** A refusal is being sent, after which the connection is closed. */
		REFUSED,

		/** It is closed once the client stops sending. */
		CLOSING

	}

}
