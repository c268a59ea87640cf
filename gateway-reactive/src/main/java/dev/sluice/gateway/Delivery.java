package dev.sluice.gateway;

import java.time.Duration;

import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.contract.Taken;
import org.jspecify.annotations.Nullable;

/** What asking the backend came to. */
sealed interface Delivery {

	/** The backend has the order. */
	record Saved(SavedOrder order) implements Delivery {
	}

	/**
	 * The backend answered otherwise.
	 *
	 * @param status its HTTP status
	 */
	record Refused(int status) implements Delivery {
	}

	/** The backend said that it has the order, but not so that it can be understood. */
	record Unreadable() implements Delivery {
	}

	/** No whole answer within the time limit. */
	record TimedOut(Duration limit) implements Delivery {
	}

	/** No connection, or it broke before the answer was whole. */
	record Unreachable() implements Delivery {
	}

	/** The circuit is open: the backend was not asked. */
	record CircuitOpen(Duration retryAfter) implements Delivery {
	}

	/** As many exchanges as allowed are going on: the backend was not asked. */
	record Full() implements Delivery {
	}

	/**
	 * Whether the backend is to blame, so that it speaks for opening the circuit. What it
	 * says of one order (4xx) does not.
	 */
	default boolean isFailure() {
		return switch (this) {
			case TimedOut _, Unreachable _, Unreadable _ -> true;
			case Refused refused -> refused.status() >= 500;
			case Saved _, CircuitOpen _, Full _ -> false;
		};
	}

	/**
	 * The order, or the problem to answer with.
	 * @param key the client's idempotency key, or null
	 * @return what the backend saved
	 * @throws ProblemException if it did not
	 */
	default SavedOrder savedOrThrow(@Nullable IdempotencyKey key) {
		return switch (this) {
			case Saved saved -> saved.order();
			// An id made of a key is the only one that can have been used before.
			case Refused(int status) when status == 422 && key != null -> throw key.reused();
			case Refused refused -> throw new ProblemException(ProblemType.BACKEND_REFUSED,
					"The backend answered with status " + refused.status() + ".");
			case Unreadable _ ->
				throw new ProblemException(ProblemType.BACKEND_REFUSED, "The backend's answer cannot be read.");
			case TimedOut timedOut -> throw new ProblemException(ProblemType.BACKEND_TIMEOUT,
					("The backend did not answer within %d ms. "
							+ "Whether it saved the order is unknown: repeat it with the same Idempotency-Key.")
						.formatted(timedOut.limit().toMillis()));
			case Unreachable _ ->
				throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE, "The connection to the backend failed.");
			case CircuitOpen open -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend has failed too often lately and is left alone for a moment.", Taken.NO,
					open.retryAfter());
			case Full _ -> throw new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed are being delivered to the backend.", Taken.NO);
		};
	}

}
