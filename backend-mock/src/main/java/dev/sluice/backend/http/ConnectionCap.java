package dev.sluice.backend.http;

import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.model.Backend;
import dev.sluice.backend.model.TokenBucket;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

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

	/** Null if there is no cap. */
	private @Nullable TokenBucket tokens;

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
			this.tokens = (cap != 0) ? new TokenBucket(cap, cap, now) : null;
		}
		TokenBucket bucket = this.tokens;
		if (bucket == null) {
			return true;
		}
		if (bucket.nanosUntilToken(now) > 0) {
			return false;
		}
		bucket.take(now);
		return true;
	}

}
