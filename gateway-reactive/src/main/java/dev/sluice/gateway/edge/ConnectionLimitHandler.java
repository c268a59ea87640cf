package dev.sluice.gateway.edge;

import java.util.concurrent.atomic.AtomicInteger;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Accepts at most {@code sluice.max-connections} connections at once. Further ones wait
 * in the operating system's backlog until one is closed. It is in the pipeline of the
 * listening socket and runs on its event loop; connections close on theirs.
 */
public final class ConnectionLimitHandler extends ChannelInboundHandlerAdapter {

	private final int max;

	private final AtomicInteger open = new AtomicInteger();

	public ConnectionLimitHandler(int max) {
		this.max = max;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object accepted) throws Exception {
		Channel listening = context.channel();
		this.open.incrementAndGet();
		update(listening);
		((Channel) accepted).closeFuture().addListener((_) -> {
			if (this.open.getAndDecrement() == this.max) {
				listening.eventLoop().execute(() -> update(listening));
			}
		});
		super.channelRead(context, accepted);
	}

	private void update(Channel listening) {
		boolean accepts = this.open.get() < this.max;
		if (listening.config().isAutoRead() != accepts) {
			listening.config().setAutoRead(accepts);
		}
	}

}
