package dev.sluice.gateway.web;

import java.util.concurrent.CompletionStage;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What only the servlet gateway has to choose.
 *
 * @param threads what serves a request: {@code platform}, {@code virtual} or
 * {@code async}; default {@code platform}
 */
@ConfigurationProperties("sluice")
@Validated
public record ServletProperties(@DefaultValue("platform") Threads threads) {

	/** What serves a request, and what it does while it waits. */
	public enum Threads {

		/** A thread of the container's pool, blocked. */
		PLATFORM,

		/** A virtual thread, blocked. */
		VIRTUAL,

		/** Nothing: the container's thread goes back, a callback answers. */
		ASYNC;

		/**
		 * Waits for an answer if a thread is blocked anyway, so that what follows may
		 * block.
		 * @param <T> the answer
		 * @param answer has a deadline
		 * @return the answer, which may have failed
		 */
		public <T> CompletionStage<T> await(CompletionStage<T> answer) {
			switch (this) {
				case PLATFORM, VIRTUAL -> answer.handle((_, _) -> true).toCompletableFuture().join();
				case ASYNC -> {
					// A callback goes on.
				}
			}
			return answer;
		}

	}

}
