package dev.sluice.gateway.web;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of the servlet gateway alone.
 *
 * @param threads the thread model that serves a request: {@code platform},
 * {@code virtual} or {@code async}; default {@code platform}
 * @param reservedThreadsPercent the share of {@code server.tomcat.threads.max} that never
 * waits for the backend in {@code servlet-platform}, in percent, so that other requests
 * are answered while it is frozen. Further sync orders get 503 immediately. 0 = none;
 * default 20
 */
@ConfigurationProperties("sluice")
@Validated
record ServletProperties(@DefaultValue("platform") Threads threads,
		@DefaultValue("20") @Min(0) @Max(99) int reservedThreadsPercent) {

	/**
	 * Maximum number of threads that may wait for the backend.
	 * @param poolSize number of threads of the container
	 */
	int backendThreads(int poolSize) {
		return (this.threads == Threads.PLATFORM) ? Math.max(1, poolSize * (100 - this.reservedThreadsPercent) / 100)
				: Integer.MAX_VALUE;
	}

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
