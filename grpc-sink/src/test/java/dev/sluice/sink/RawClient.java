package dev.sluice.sink;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.TimeUnit;

import dev.sluice.devservices.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;

/**
 * A client that speaks HTTP/2 and not gRPC: it can send parts of messages, and read or
 * not.
 */
final class RawClient implements AutoCloseable {

	private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final Channel connection;

	/**
	 * Connects.
	 * @param window bytes that the server may send on a stream; 0 = the client never
	 * reads
	 */
	RawClient(int port, int window) throws Exception {
		this.connection = new Bootstrap().group(this.group)
			.channel(NioSocketChannel.class)
			.handler(new ChannelInitializer<>() {

				@Override
				protected void initChannel(Channel channel) {
					channel.pipeline()
						.addLast(Http2FrameCodecBuilder.forClient()
							.initialSettings(Http2Settings.defaultSettings().initialWindowSize(window))
							.build(), new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
				}

			})
			.connect(new InetSocketAddress("127.0.0.1", port))
			.sync()
			.channel();
	}

	Call call(String method) throws Exception {
		return call(method, new DefaultHttp2Headers());
	}

	Call call(String method, Http2Headers more) throws Exception {
		Call call = new Call();
		Http2StreamChannel stream = new Http2StreamChannelBootstrap(this.connection).handler(call).open().get();
		call.stream = stream;
		stream
			.writeAndFlush(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().method("POST")
				.scheme("http")
				.authority("localhost")
				.path("/dev.sluice.sink.v1.DataSink/" + method)
				.add("content-type", "application/grpc")
				.add("te", "trailers")
				.add(more)))
			.sync();
		return call;
	}

	/**
	 * Acts like a client whose machine has crashed: it does not answer, and does not
	 * close the connection.
	 */
	void vanish() {
		this.connection.config().setAutoRead(false);
	}

	boolean isConnected() {
		return this.connection.isActive();
	}

	@Override
	public void close() throws Exception {
		this.connection.close().sync();
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
	}

	/** One call. */
	static final class Call extends ChannelInboundHandlerAdapter {

		/**
		 * The value of {@code grpc-status}, or -1 if the stream was reset without one.
		 */
		private final CompletableFuture<Integer> status = new CompletableFuture<>();

		private final AtomicInteger underWay = new AtomicInteger();

		private Http2StreamChannel stream;

		/** Sends the header of a message. */
		void header(int bytes) {
			write(ByteBuffer.allocate(5).put((byte) 0).putInt(bytes).array());
		}

		void write(byte[] bytes) {
			this.underWay.incrementAndGet();
			ChannelFuture done = this.stream.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes)));
			done.addListener((_) -> this.underWay.decrementAndGet());
		}

		/** Half-closes the call. */
		void complete() {
			this.stream.writeAndFlush(new DefaultHttp2DataFrame(true));
		}

		/** Whether all writes have been sent or have failed. */
		boolean settled() {
			return this.underWay.get() == 0;
		}

		boolean isEnded() {
			return this.status.isDone();
		}

		int status() throws Exception {
			return this.status.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
		}

		@Override
		public void channelRead(ChannelHandlerContext context, Object frame) {
			if (frame instanceof Http2HeadersFrame headers && headers.headers().contains("grpc-status")) {
				this.status.complete(Integer.valueOf(headers.headers().get("grpc-status").toString()));
			}
			ReferenceCountUtil.release(frame);
		}

		@Override
		public void userEventTriggered(ChannelHandlerContext context, Object event) {
			if (event instanceof Http2ResetFrame) {
				this.status.complete(-1);
			}
			ReferenceCountUtil.release(event);
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			this.status.complete(-1);
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			this.status.complete(-1);
		}

	}

}
