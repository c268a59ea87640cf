package dev.sluice.gateway;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What concerns the gateway as a whole.
 *
 * @param defaultWay the way of an order whose client states no preference: {@code sync}
 * or {@code queued}; default {@code sync}
 * @param threads what serves a request: {@code platform}, {@code virtual} or
 * {@code async}; default {@code platform}
 */
@ConfigurationProperties("sluice")
record GatewayProperties(@DefaultValue("sync") Way defaultWay, @DefaultValue("platform") Threads threads) {

	/** What serves a request, and what it does while it waits. */
	enum Threads {

		/** A thread of the container's pool, blocked. */
		PLATFORM,

		/** A virtual thread, blocked. */
		VIRTUAL,

		/** Nothing: the container's thread goes back, a callback answers. */
		ASYNC

	}

}
