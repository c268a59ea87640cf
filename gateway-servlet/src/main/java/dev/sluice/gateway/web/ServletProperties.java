package dev.sluice.gateway.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of the servlet gateway alone.
 *
 * @param threads the thread model that serves a request: {@code platform},
 * {@code virtual} or {@code async}; default {@code platform}
 */
@ConfigurationProperties("sluice")
@Validated
record ServletProperties(@DefaultValue("platform") Threads threads) {

	/** The thread that serves a request, and what it does while the request waits. */
	enum Threads {

		/** A thread of the container's pool, blocked. */
		PLATFORM,

		/** A virtual thread, blocked. */
		VIRTUAL,

		/** None: the container's thread is released, and a callback answers. */
		ASYNC

	}

}
