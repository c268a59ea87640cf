package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** The result of one delivery. */
public sealed interface Attempt {

	/**
	 * The backend has the order.
	 *
	 * @param at when the backend saved it, by its own clock; null if it does not say
	 */
	record Saved(@Nullable Instant at) implements Attempt {
	}

	/**
	 * The backend failed and may save the order at a later attempt.
	 *
	 * @param why the failure
	 * @param reach how far the attempt came
	 */
	record RetryLater(FailureReason why, Reach reach) implements Attempt {
	}

	/** How far a failed attempt came. */
	enum Reach {

		/** The backend has not seen the order, so the failure says nothing about it. */
		NOT_REACHED,

		/** The backend, or something in front of it, answered that it failed. */
		ANSWERED,

		/** No answer came, so the backend may have saved the order. */
		UNANSWERED

	}

	/**
	 * The backend is healthy and accepts no more orders at the moment.
	 *
	 * @param why its answer
	 * @param retryAfter how long the backend asks to wait; zero if it does not say
	 */
	record Throttled(FailureReason why, Duration retryAfter) implements Attempt {
	}

	/**
	 * The backend refuses the order.
	 *
	 * @param why its answer
	 */
	record Rejected(FailureReason why) implements Attempt {
	}

	/**
	 * The backend has another payload under the order's id.
	 *
	 * @param why its answer
	 */
	record Conflict(FailureReason why) implements Attempt {
	}

}
