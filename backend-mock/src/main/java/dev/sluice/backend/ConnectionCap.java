package dev.sluice.backend;

import java.util.concurrent.TimeUnit;

import io.netty.channel.Channel;

/**
 * Counts connections in and closes at once those beyond the cap on new ones, as an
 * exhausted address translation would. A token bucket that holds one second's worth: a
 * full pool may be opened at a stroke, and then the rate holds. Every connection to the
 * port counts, also those of who scrapes metrics or changes the behaviour.
 * <p>
 * Confined to the {@link Loop}.
 */
final class ConnectionCap {

	private final Loop loop;

	private final Backend backend;

	private int perSecond;

	private double tokens;

	private long filledAtNanos;

	ConnectionCap(Loop loop, Backend backend) {
		this.loop = loop;
		this.backend = backend;
	}

	void accepted(Channel channel) {
		boolean refused = !admit();
		this.backend.connection(refused);
		if (refused) {
			channel.unsafe().closeForcibly();
		}
	}

	boolean admit() {
		int cap = this.backend.behaviour().maxNewConnectionsPerSecond();
		long now = this.loop.nanoTime();
		if (cap != this.perSecond) {
			this.perSecond = cap;
			this.tokens = cap;
			this.filledAtNanos = now;
		}
		if (cap == 0) {
			return true;
		}
		double added = (double) cap * (now - this.filledAtNanos) / TimeUnit.SECONDS.toNanos(1);
		this.tokens = Math.min(cap, this.tokens + added);
		this.filledAtNanos = now;
		if (this.tokens < 1) {
			return false;
		}
		this.tokens--;
		return true;
	}

}
