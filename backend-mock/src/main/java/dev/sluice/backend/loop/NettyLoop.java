package dev.sluice.backend.loop;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;

/** The loop of a running backend: the event loop that serves its connections. */
public final class NettyLoop implements Loop {

	private final EventLoop eventLoop;

	public NettyLoop(EventLoop eventLoop) {
		this.eventLoop = eventLoop;
	}

	@Override
	public void execute(Runnable task) {
		this.eventLoop.execute(task);
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // Tasks handle their own failures.
	public void schedule(Runnable task, long delayNanos) {
		this.eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

}
