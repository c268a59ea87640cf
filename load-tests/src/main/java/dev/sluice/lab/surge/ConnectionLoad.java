package dev.sluice.lab.surge;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

import dev.sluice.lab.kit.result.SurgeResult.Step;
import dev.sluice.lab.kit.stack.LabException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * An open load over a fixed number of connections, as many clients make it: a request is
 * due by the clock, its latency counts from then, and the connection that has been idle
 * longest sends it. If none is idle, the request is not sent but counted. A connection
 * that breaks is opened again; one that gets no answer in time is closed.
 * <p>
 * One event loop does everything, so that no state is shared.
 */
final class ConnectionLoad implements AutoCloseable {

	/** Status of a request for which no connection was idle. */
	static final short NOT_SENT = 0;

	/** Status of a request whose connection broke, or that got no answer in time. */
	static final short BROKEN = -1;

	/** Connections opened at once: fewer than fit into a listener's backlog. */
	private static final int OPENING = 50;

	private static final int CONNECT_MILLIS = 5_000;

	/** Pause after a connection was refused. */
	private static final int REOPEN_MILLIS = 200;

	private static final int TICK_MILLIS = 1;

	private static final Duration PROGRESS = Duration.ofSeconds(1);

	private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

	private final EventLoop loop = this.group.next();

	private final Bootstrap bootstrap;

	private final int connections;

	private final Duration timeout;

	/** May hold connections that broke meanwhile. */
	private final ArrayDeque<Connection> idle = new ArrayDeque<>();

	private int toOpen;

	private int opening;

	private int open;

	private @Nullable Execution execution;

	/**
	 * What became of each request, by number.
	 *
	 * @param start when the first was due
	 * @param lagMicros how late each was sent, or found not to be sent
	 * @param latencyMicros from when it was due to its answer or its failure
	 * @param status of the answer, or {@link #NOT_SENT} or {@link #BROKEN}
	 */
	@SuppressWarnings("ArrayRecordComponent") // Millions of figures, never compared.
	record Results(Instant start, int[] lagMicros, int[] latencyMicros, short[] status) {
	}

	/** A request on its way, as long as it is its connection's. */
	private record Call(int number, long due, Connection connection) {
	}

	/**
	 * Opens nothing yet.
	 * @param timeout from when a request is due until its connection is closed
	 */
	ConnectionLoad(URI target, int connections, Duration timeout) {
		this.connections = connections;
		this.timeout = timeout;
		this.bootstrap = new Bootstrap().group(this.loop)
			.channel(NioSocketChannel.class)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
			.option(ChannelOption.TCP_NODELAY, true)
			.remoteAddress(target.getHost(), target.getPort())
			.handler(new ChannelInitializer<>() {
				@Override
				protected void initChannel(Channel channel) {
					channel.pipeline().addLast(new HttpResponseDecoder(), new Connection(channel));
				}
			});
	}

	/**
	 * Opens the connections.
	 * @throws LabException if some are not open in time
	 */
	void open(Duration atMost) throws InterruptedException {
		this.loop.execute(() -> {
			this.toOpen = this.connections;
			openMore();
		});
		long deadline = System.nanoTime() + atMost.toNanos();
		for (int count = 0; count < this.connections; count = ask(() -> this.open)) {
			if (System.nanoTime() - deadline >= 0) {
				throw new LabException(
						"Only %s of %s connections were opened in %s s: this process and the gateway need as many open files (ulimit -n)"
							.formatted(count, this.connections, atMost.toSeconds()));
			}
			Thread.sleep(TICK_MILLIS);
		}
	}

	private void openMore() {
		while (this.toOpen > 0 && this.opening < OPENING && !this.loop.isShuttingDown()) {
			this.toOpen--;
			this.opening++;
			this.bootstrap.connect().addListener((attempt) -> {
				if (attempt.isSuccess()) {
					opened();
				}
				else {
					this.toOpen++;
					this.loop.schedule(this::opened, REOPEN_MILLIS, TimeUnit.MILLISECONDS);
				}
			});
		}
	}

	private void opened() {
		this.opening--;
		openMore();
	}

	/**
	 * Sends a load; returns when each request has its outcome: at the latest one timeout
	 * after the last was due. One load at a time.
	 * @param requests the bytes of a request by number, from 0; asked for when it is due
	 * @param progress receives each second how many requests were due until then
	 */
	Results run(List<Step> steps, IntFunction<byte[]> requests, IntConsumer progress) throws InterruptedException {
		Execution started = new Execution(steps, requests);
		this.loop.execute(started::begin);
		while (true) {
			try {
				return started.results.get(PROGRESS.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException _) {
				progress.accept(ask(() -> started.next));
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		}
	}

	/** Asks the event loop for something that only it may read. */
	private int ask(Callable<Integer> question) throws InterruptedException {
		try {
			return this.loop.submit(question).get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	/** Closes the connections. */
	@Override
	public void close() {
		this.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(CONNECT_MILLIS);
	}

	/** A connection, with at most one request on its way. */
	private final class Connection extends SimpleChannelInboundHandler<HttpObject> {

		private final Channel channel;

		private @Nullable Call call;

		private @Nullable HttpResponse response;

		Connection(Channel channel) {
			this.channel = channel;
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
			ConnectionLoad.this.open++;
			ConnectionLoad.this.idle.addLast(this);
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
			if (message instanceof HttpResponse head && head.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
				this.response = head;
			}
			if (message instanceof LastHttpContent && this.response != null) {
				HttpResponse complete = this.response;
				this.response = null;
				boolean asked = this.call != null;
				end((short) complete.status().code());
				if (asked && HttpUtil.isKeepAlive(complete) && message.decoderResult().isSuccess()) {
					ConnectionLoad.this.idle.addLast(this);
				}
				else {
					context.close();
				}
			}
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			end(BROKEN);
			ConnectionLoad.this.open--;
			ConnectionLoad.this.toOpen++;
			openMore();
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			context.close();
		}

		private void end(short status) {
			if (this.call != null && ConnectionLoad.this.execution != null) {
				ConnectionLoad.this.execution.end(this.call, status);
			}
			this.call = null;
		}

	}

	/** A load being sent. */
	private final class Execution {

		private final List<Step> steps;

		private final IntFunction<byte[]> requests;

		private final CompletableFuture<Results> results = new CompletableFuture<>();

		private final int[] lagMicros;

		private final int[] latencyMicros;

		private final short[] status;

		/** In the order in which they time out; some have ended. */
		private final ArrayDeque<Call> sent = new ArrayDeque<>();

		/**
		 * The step that sends, the time it began, and the number of its first request.
		 */
		private int step;

		private long began;

		private int first;

		private int next;

		private int outstanding;

		private Instant start = Instant.EPOCH;

		Execution(List<Step> steps, IntFunction<byte[]> requests) {
			this.steps = steps;
			this.requests = requests;
			int count = steps.stream().mapToInt(Step::requests).sum();
			this.lagMicros = new int[count];
			this.latencyMicros = new int[count];
			this.status = new short[count];
		}

		void begin() {
			ConnectionLoad.this.execution = this;
			this.start = Instant.now();
			this.began = System.nanoTime();
			ScheduledFuture<?> ticks = ConnectionLoad.this.loop.scheduleAtFixedRate(this::tick, 0, TICK_MILLIS,
					TimeUnit.MILLISECONDS);
			this.results.whenComplete((_, _) -> ticks.cancel(false));
		}

		private void tick() {
			try {
				sendDue();
				closeExpired();
				if (this.step == this.steps.size() && this.outstanding == 0) {
					this.results.complete(new Results(this.start, this.lagMicros, this.latencyMicros, this.status));
				}
			}
			catch (RuntimeException ex) {
				this.results.completeExceptionally(ex);
			}
		}

		private void sendDue() {
			while (this.step < this.steps.size()) {
				Step now = this.steps.get(this.step);
				if (this.next - this.first == now.requests()) {
					this.began += TimeUnit.SECONDS.toNanos(now.seconds());
					this.first = this.next;
					this.step++;
				}
				else {
					long due = this.began + Math.round((this.next - this.first) * 1e9 / now.perSecond());
					if (System.nanoTime() - due < 0) {
						return;
					}
					send(this.next++, due);
				}
			}
		}

		private void send(int number, long due) {
			this.lagMicros[number] = micros(System.nanoTime() - due);
			Connection connection = ConnectionLoad.this.idle.pollFirst();
			while (connection != null && !connection.channel.isActive()) {
				connection = ConnectionLoad.this.idle.pollFirst();
			}
			if (connection != null) {
				this.outstanding++;
				connection.call = new Call(number, due, connection);
				this.sent.addLast(connection.call);
				connection.channel.writeAndFlush(Unpooled.wrappedBuffer(this.requests.apply(number)));
			}
		}

		private void closeExpired() {
			long expired = System.nanoTime() - ConnectionLoad.this.timeout.toNanos();
			for (Call oldest = this.sent.peekFirst(); oldest != null; oldest = this.sent.peekFirst()) {
				boolean ended = oldest.connection().call != oldest;
				if (!ended && oldest.due() - expired > 0) {
					return;
				}
				this.sent.removeFirst();
				if (!ended) {
					oldest.connection().channel.close();
				}
			}
		}

		void end(Call call, short status) {
			this.status[call.number()] = status;
			this.latencyMicros[call.number()] = micros(System.nanoTime() - call.due());
			this.outstanding--;
		}

		private static int micros(long nanos) {
			return (int) Math.min(TimeUnit.NANOSECONDS.toMicros(nanos), Integer.MAX_VALUE);
		}

	}

}
