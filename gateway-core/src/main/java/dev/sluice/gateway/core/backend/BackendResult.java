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

/** The result of a call to the backend. */
public sealed interface BackendResult {

	/** The backend has the order. */
	record Saved(SavedOrder order) implements BackendResult {
	}

	/**
	 * The backend answered with another status.
	 *
	 * @param status its HTTP status
	 */
	record Refused(int status) implements BackendResult {
	}

	/**
	 * The backend is busy: 429, or 503.
	 *
	 * @param status its HTTP status
	 * @param retryAfter the pause that it asks for; null if it does not say
	 */
	record Busy(int status, @Nullable Duration retryAfter) implements BackendResult {
	}

	/** The backend's status says that it has the order, but its body cannot be parsed. */
	record Unreadable() implements BackendResult {
	}

	/** No whole answer within the time limit. */
	record TimedOut(Duration limit) implements BackendResult {
	}

	/** No connection, or it broke before the answer was whole. */
	record Unreachable() implements BackendResult {
	}

	/** The circuit is open: the backend was not called. */
	record CircuitOpen(Duration retryAfter) implements BackendResult {
	}

	/** The bulkhead is full: the backend was not called. */
	record Full() implements BackendResult {
	}

	/**
	 * The backend has the order. The time is truncated to microseconds, as PostgreSQL
	 * keeps it.
	 */
	static BackendResult saved(SavedOrder order) {
		return new Saved(new SavedOrder(order.id(), order.savedAt().truncatedTo(ChronoUnit.MICROS)));
	}

	/**
	 * The result of an answer whose status is neither 200 nor 201.
	 * @param answer the backend's answer
	 * @param now the time that a date in {@code Retry-After} is compared with
	 * @return {@link Busy} or {@link Refused}
	 */
	static BackendResult notSaved(BackendResponse answer, Instant now) {
		return switch (answer.status()) {
			case 429, 503 -> new Busy(answer.status(), RetryAfter.parse(answer.retryAfter(), now));
			default -> new Refused(answer.status());
		};
	}

	/**
	 * Whether the circuit breaker counts it as a failure of the backend. A 4xx concerns
	 * one order and is not a failure; nor is throttling: 429, and 503 with
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

	/** Whether another attempt may follow at once. A busy backend is not retried. */
	default boolean mayBeRepeated() {
		return isFailure() && !(this instanceof Busy);
	}

	/** Whether the backend was called. */
	default boolean wasAsked() {
		return !(this instanceof CircuitOpen || this instanceof Full);
	}

	/**
	 * Returns the saved order, or throws the problem to answer with.
	 * @param key the client's idempotency key, or null
	 * @return the saved order
	 * @throws ProblemException if the backend did not confirm that it saved the order
	 */
	default SavedOrder savedOrThrow(@Nullable IdempotencyKey key) {
		return switch (this) {
			case Saved saved -> saved.order();
			// Only an id derived from a key can have been used before.
			case Refused(int status) when status == 422 && key != null -> throw key.reused();
			case Refused refused -> throw new ProblemException(ProblemType.BACKEND_REFUSED,
					"The backend answered with status " + refused.status() + ".");
			case Busy busy -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend is busy: it answered with status " + busy.status() + ".", Placed.UNKNOWN,
					busy.retryAfter());
			case Unreadable _ ->
				throw new ProblemException(ProblemType.BACKEND_REFUSED, "The backend's answer cannot be read.");
			case TimedOut timedOut ->
				throw new ProblemException(ProblemType.BACKEND_TIMEOUT, ("The backend did not answer within %d ms. "
						+ "Whether it saved the order is unknown: repeat the request with the same Idempotency-Key.")
					.formatted(timedOut.limit().toMillis()));
			case Unreachable _ ->
				throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE, "The connection to the backend failed.");
			case CircuitOpen open -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend has failed too often. Calls to it are suspended for a moment.", Placed.NO,
					open.retryAfter());
			case Full _ -> throw new ProblemException(ProblemType.OVERLOADED,
					"Too many orders are being delivered to the backend.", Placed.NO);
		};
	}

}
