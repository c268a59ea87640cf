package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose client does not read: when a write is waiting, or the channel
 * is not writable, and no write has ended for {@code sluice.write-timeout}. Netty's own
 * handler does not cover the second case. Each channel has an instance of its own,
 * confined to its event loop.
 */
final class WriteTimeout extends ChannelDuplexHandler {

	private final long timeoutNanos;

	private int waiting;

	private long lastEndedNanos;

	private @Nullable ScheduledFuture<?> check;

	private WriteTimeout(Duration timeout) {
		this.timeoutNanos = timeout.toNanos();
	}

	static void install(ChannelPipeline pipeline, Duration timeout) {
		pipeline.addFirst(WriteTimeout.class.getName(), new WriteTimeout(timeout));
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		ChannelPromise written = promise.unvoid();
		this.waiting++;
		written.addListener((_) -> {
			this.waiting--;
			this.lastEndedNanos = System.nanoTime();
		});
		context.write(message, written);
	}

	/** Most writes end in this call and need no timer. */
	@Override
	public void flush(ChannelHandlerContext context) {
		context.flush();
		if (isWaiting(context) && this.check == null) {
			this.lastEndedNanos = System.nanoTime();
			schedule(context, this.timeoutNanos);
		}
	}

	private boolean isWaiting(ChannelHandlerContext context) {
		return this.waiting > 0 || !context.channel().isWritable();
	}

	private void schedule(ChannelHandlerContext context, long delayNanos) {
		this.check = context.executor().schedule(() -> check(context), delayNanos, TimeUnit.NANOSECONDS);
	}

	private void check(ChannelHandlerContext context) {
		this.check = null;
		if (isWaiting(context)) {
			long left = this.lastEndedNanos + this.timeoutNanos - System.nanoTime();
			if (left > 0) {
				schedule(context, left);
			}
			else {
				context.close();
			}
		}
	}

	@Override
	public void handlerRemoved(ChannelHandlerContext context) {
		if (this.check != null) {
			this.check.cancel(false);
			this.check = null;
		}
	}

}
