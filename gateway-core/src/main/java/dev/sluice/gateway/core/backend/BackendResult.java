package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** What asking the backend came to. */
public sealed interface BackendResult {

	/** The backend has the order. */
	record Saved(SavedOrder order) implements BackendResult {
	}

	/**
	 * The backend answered otherwise.
	 *
	 * @param status its HTTP status
	 */
	record Refused(int status) implements BackendResult {
	}

	/**
	 * The backend is busy: 429, or 503.
	 *
	 * @param status its HTTP status
	 * @param retryAfter when it wants to be asked again; null if it does not say
	 */
	record Busy(int status, @Nullable Duration retryAfter) implements BackendResult {
	}

	/** The backend said that it has the order, but not so that it can be understood. */
	record Unreadable() implements BackendResult {
	}

	/** No whole answer within the time limit. */
	record TimedOut(Duration limit) implements BackendResult {
	}

	/** No connection, or it broke before the answer was whole. */
	record Unreachable() implements BackendResult {
	}

	/** The circuit is open: the backend was not asked. */
	record CircuitOpen(Duration retryAfter) implements BackendResult {
	}

	/** As many exchanges as allowed are going on: the backend was not asked. */
	record Full() implements BackendResult {
	}

	/** The backend has the order. Its time is cut to what PostgreSQL keeps of it. */
	static BackendResult saved(SavedOrder order) {
		return new Saved(new SavedOrder(order.id(), order.savedAt().truncatedTo(ChronoUnit.MICROS)));
	}

	/**
	 * What an answer with another status than 200 and 201 comes to.
	 * @param answer the backend's answer
	 * @param now to which a date in {@code Retry-After} is compared
	 * @return {@link Busy} or {@link Refused}
	 */
	static BackendResult notSaved(BackendResponse answer, Instant now) {
		return switch (answer.status()) {
			case 429, 503 -> new Busy(answer.status(), RetryAfter.parse(answer.retryAfter(), now));
			default -> new Refused(answer.status());
		};
	}

	/**
	 * Whether the circuit counts it as a failure of the backend. What the backend says of
	 * one order (4xx) is none, and neither is throttling: 429, and 503 with
	 * {@code Retry-After}.
	 */
	default boolean isFailure() {
		return switch (this) {
			case TimedOut _, Unreachable _, Unreadable _ -> true;
			case Refused refused -> refused.status() >= 500;
			case Busy busy -> busy.status() != 429 && busy.retryAfter() == null;
			case Saved _, CircuitOpen _, Full _ -> false;
		};
	}

	/** Whether another attempt may follow at once. A busy backend is left alone. */
	default boolean mayBeRepeated() {
		return isFailure() && !(this instanceof Busy);
	}

	/** Whether the backend was asked. */
	default boolean wasAsked() {
		return !(this instanceof CircuitOpen || this instanceof Full);
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
			case Busy busy -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend is busy: it answered with status " + busy.status() + ".", Placed.UNKNOWN,
					busy.retryAfter());
			case Unreadable _ ->
				throw new ProblemException(ProblemType.BACKEND_REFUSED, "The backend's answer cannot be read.");
			case TimedOut timedOut -> throw new ProblemException(ProblemType.BACKEND_TIMEOUT,
					("The backend did not answer within %d ms. "
							+ "Whether it saved the order is unknown: repeat it with the same Idempotency-Key.")
						.formatted(timedOut.limit().toMillis()));
			case Unreachable _ ->
				throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE, "The connection to the backend failed.");
			case CircuitOpen open -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend has failed too often lately and is left alone for a moment.", Placed.NO,
					open.retryAfter());
			case Full _ -> throw new ProblemException(ProblemType.OVERLOADED,
					"As many orders as allowed are being delivered to the backend.", Placed.NO);
		};
	}

}
