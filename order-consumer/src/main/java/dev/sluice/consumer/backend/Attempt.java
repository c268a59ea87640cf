package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** What one delivery came to. */
public sealed interface Attempt {

	/**
	 * The backend has the order.
	 *
	 * @param at when the backend saved it, by its own clock; null if it does not say
	 */
	record Saved(@Nullable Instant at) implements Attempt {
	}

	/**
	 * The backend failed, and may take the order another time.
	 *
	 * @param why the failure
	 * @param reached whether the backend may have seen the order; if not, the failure
	 * says nothing about the order
	 */
	record RetryLater(Explanation why, boolean reached) implements Attempt {
	}

	/**
	 * The backend is well and takes no more orders at the moment.
	 *
	 * @param why its answer
	 * @param retryAfter how long the backend asks to wait; zero if it does not say
	 */
	record Throttled(Explanation why, Duration retryAfter) implements Attempt {
	}

	/**
	 * The backend refuses the order.
	 *
	 * @param why its answer
	 */
	record Rejected(Explanation why) implements Attempt {
	}

	/**
	 * The backend has another payload under the order's id.
	 *
	 * @param why its answer
	 */
	record Conflict(Explanation why) implements Attempt {
	}

}
