package dev.sluice.lab.kit.client;

import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.kit.client.OpenClient.Reply;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.stack.LabException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.FixedChannelPool;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one server, as many clients or a client with a pool have them: the one
 * that has been idle longest sends a request. A connection that breaks is opened again
 * when it is needed; one that gets no answer in time is closed.
 * <p>
 * One event loop does everything, so that no state is shared. Thread-safe.
 */
public final class Connections implements AutoCloseable {

	/** Connections opened at once: fewer than fit into a listener's backlog. */
	private static final int OPENING = 50;

	private static final int CONNECT_MILLIS = 5_000;

	private static final int OK_BELOW = 400;

	private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final AtomicInteger open = new AtomicInteger();

	private final AtomicLong opened = new AtomicLong();

	private final Limits limits;

	private final FixedChannelPool pool;

	/**
	 * The settings of a pool.
	 *
	 * @param most maximum number of connections at once
	 * @param mostFree maximum number of unused connections to keep; 0 to use each once
	 * @param answer time limit of an answer
	 * @param free time after which an unused connection is not used again
	 */
	public record Limits(int most, int mostFree, Duration answer, Duration free) {

		/** As many connections as clients, which keep them. */
		public static Limits keeping(int count, Duration answer) {
			return new Limits(count, count, answer, ChronoUnit.FOREVER.getDuration());
		}

	}

	/** Opens nothing yet. */
	public Connections(URI target, Limits limits) {
		this.limits = limits;
		Bootstrap bootstrap = new Bootstrap().group(this.group)
			.channel(NioSocketChannel.class)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
			.option(ChannelOption.TCP_NODELAY, true)
			.remoteAddress(target.getHost(), target.getPort());
		this.pool = new FixedChannelPool(bootstrap, new AbstractChannelPoolHandler() {

			@Override
			public void channelCreated(Channel channel) {
				channel.pipeline().addLast(new HttpResponseDecoder(), new Exchange());
			}
		}, this::isUsable, null, -1, limits.most(), Integer.MAX_VALUE, true, false);
	}

	private Future<Boolean> isUsable(Channel channel) {
		return channel.eventLoop()
			.newSucceededFuture(channel.isActive() && channel.pipeline().get(Exchange.class).isFresh());
	}

	/** Connections that are open now. */
	public int open() {
		return this.open.get();
	}

	/** Connections opened since the beginning. */
	public long opened() {
		return this.opened.get();
	}

	/**
	 * Opens as many connections as there may be.
	 * @throws LabException if one cannot be opened, or not in time
	 */
	public void open(Duration atMost) throws InterruptedException {
		long deadline = System.nanoTime() + atMost.toNanos();
		List<Channel> opened = new ArrayList<>();
		while (opened.size() < this.limits.most()) {
			List<Future<Channel>> opening = new ArrayList<>();
			for (int i = 0; i < Math.min(OPENING, this.limits.most() - opened.size()); i++) {
				opening.add(this.pool.acquire());
			}
			for (Future<Channel> each : opening) {
				if (!each.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS) || !each.isSuccess()) {
					throw new LabException(
							"Only %s of %s connections were opened within %s s (%s): this process and the gateway need as many open files (ulimit -n)"
								.formatted(opened.size(), this.limits.most(), atMost.toSeconds(),
										each.isDone() ? each.cause() : "the next was not in time"));
				}
				opened.add(each.getNow());
			}
		}
		for (Channel each : opened) {
			this.pool.release(each).await();
		}
	}

	/**
	 * Sends a request over an idle connection, or over the next one that becomes idle.
	 * @param request its bytes
	 */
	public void send(byte[] request, Reply reply) {
		this.pool.acquire().addListener((Future<Channel> idle) -> {
			if (idle.isSuccess()) {
				Channel channel = idle.getNow();
				channel.pipeline().get(Exchange.class).begin(channel, reply);
				channel.writeAndFlush(Unpooled.wrappedBuffer(request));
			}
			else {
				reply.take(Requests.NOT_ANSWERED, "no connection");
			}
		});
	}

	/** Closes the connections. */
	@Override
	public void close() {
		this.pool.close();
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(CONNECT_MILLIS);
	}

	/** What a connection does: at most one request is on its way. */
	private final class Exchange extends SimpleChannelInboundHandler<HttpObject> {

		private @Nullable Reply reply;

		private @Nullable ScheduledFuture<?> expiry;

		private @Nullable HttpResponse response;

		private long lastUsedNanos = System.nanoTime();

		boolean isFresh() {
			return Connections.this.limits.free()
				.compareTo(Duration.ofNanos(System.nanoTime() - this.lastUsedNanos)) > 0;
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
			Connections.this.open.incrementAndGet();
			Connections.this.opened.incrementAndGet();
		}

		void begin(Channel channel, Reply receiver) {
			this.reply = receiver;
			this.expiry = channel.eventLoop()
				.schedule(() -> channel.close(), Connections.this.limits.answer().toNanos(), TimeUnit.NANOSECONDS);
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
			if (message instanceof HttpResponse head && head.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
				this.response = head;
			}
			if (message instanceof LastHttpContent && this.response != null) {
				HttpResponse complete = this.response;
				this.response = null;
				if (this.reply == null || !HttpUtil.isKeepAlive(complete) || !message.decoderResult().isSuccess()) {
					context.close();
				}
				int status = complete.status().code();
				end(context, status, (status < OK_BELOW) ? null : "HTTP " + status);
			}
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			Connections.this.open.decrementAndGet();
			end(context, Requests.NOT_ANSWERED, "broken");
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			context.close();
		}

		private void end(ChannelHandlerContext context, int status, @Nullable String failure) {
			Reply receiver = this.reply;
			if (receiver != null && this.expiry != null) {
				this.reply = null;
				this.expiry.cancel(false);
				this.lastUsedNanos = System.nanoTime();
				if (Connections.this.open.get()
						- Connections.this.pool.acquiredChannelCount() >= Connections.this.limits.mostFree()) {
					context.close();
				}
				Connections.this.pool.release(context.channel());
				receiver.take(status, failure);
			}
		}

	}

}
