package dev.sluice.backend.http;

import java.util.concurrent.TimeUnit;

import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.model.Backend;
import io.netty.channel.Channel;

/**
 * Counts new connections and closes those over the cap at once, like an exhausted network
 * address translation. The cap is a token bucket with the tokens of one second: a client
 * may open a full pool at once, and then the rate applies. Every connection to the port
 * counts, including those that scrape metrics or change the behaviour.
 * <p>
 * Confined to the {@link Loop}.
 */
public final class ConnectionCap {

	private final Loop loop;

	private final Backend backend;

	private int perSecond;

	private double tokens;

	private long filledAtNanos;

	public ConnectionCap(Loop loop, Backend backend) {
		this.loop = loop;
		this.backend = backend;
	}

	public void accepted(Channel channel) {
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
