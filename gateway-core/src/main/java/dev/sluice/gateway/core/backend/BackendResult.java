package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** The result of a call to the backend. */
public sealed interface BackendResult {

	/** There are as many calls as the backend takes. */
	NotCalled FULL = new NotCalled(new ProblemException(ProblemType.OVERLOADED,
			"Too many orders are being delivered to the backend.", Placed.NO));

	/** The circuit is open. */
	NotCalled CIRCUIT_OPEN = new NotCalled(new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
			"The backend has failed too often. Calls to it are suspended for a moment.", Placed.NO));

	/**
	 * The backend has the order.
	 *
	 * @param order the order; its time is truncated to microseconds, as PostgreSQL keeps
	 * it
	 */
	record Saved(SavedOrder order) implements BackendResult {

		public Saved {
			order = new SavedOrder(order.id(), order.savedAt().truncatedTo(ChronoUnit.MICROS));
		}

	}

	/** The backend does not have the order that it was asked for. */
	record NotFound() implements BackendResult {
	}

	/**
	 * The backend refuses this order.
	 *
	 * @param status its HTTP status: 400, 409, 413 or 422
	 */
	record Rejected(int status) implements BackendResult {
	}

	/** The backend has another payload under the order's id. */
	record Conflict() implements BackendResult {
	}

	/**
	 * The backend, or something in front of it, answered with a status that says nothing
	 * about the order, or with 200 or 201 and without the order's id.
	 *
	 * @param status its HTTP status
	 */
	record Refused(int status) implements BackendResult {
	}

	/**
	 * The backend is busy: 429, or 503.
	 *
	 * @param status its HTTP status
	 * @param retryAfter the pause that it asks for, cut to between a second and a minute;
	 * null if it does not say
	 */
	record Busy(int status, @Nullable Duration retryAfter) implements BackendResult {

		public Busy {
			retryAfter = (retryAfter != null) ? Duration.ofSeconds(Math.clamp(retryAfter.toSeconds(), 1, 60)) : null;
		}

	}

	/** No whole answer within the time limit. */
	record TimedOut(Duration limit) implements BackendResult {
	}

	/** No connection, or it broke before the answer was whole. */
	record Unreachable() implements BackendResult {
	}

	/**
	 * The backend was not called.
	 *
	 * @param problem the problem to answer with
	 */
	record NotCalled(ProblemException problem) implements BackendResult {
	}

	/**
	 * Whether the circuit breaker counts it as a failure of the backend. What concerns
	 * one order is not a failure; nor is a busy backend, which gets fewer calls instead.
	 */
	default boolean isFailure() {
		return switch (this) {
			case TimedOut _, Unreachable _, Refused _ -> true;
			case Saved _, NotFound _, Rejected _, Conflict _, Busy _, NotCalled _ -> false;
		};
	}

	/**
	 * Whether another attempt may follow at once: after what may be over in a moment, but
	 * not for a busy backend.
	 */
	default boolean mayBeRepeated() {
		return switch (this) {
			case TimedOut _, Unreachable _ -> true;
			case Refused(int status) -> status >= 500 || status <= 201 || status == 408 || status == 425;
			default -> false;
		};
	}

	/**
	 * What is known after a repeated attempt: an earlier one may have saved the order, so
	 * that a refusal now says nothing about it.
	 * @param earlier what was known before
	 */
	default BackendResult after(BackendResult earlier) {
		return switch (this) {
			case NotCalled _ -> earlier;
			case Rejected(int status) -> new Refused(status);
			default -> this;
		};
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
			case Conflict _ when key != null -> throw key.reused();
			case Conflict _ -> throw new ProblemException(ProblemType.BACKEND_REFUSED,
					"The backend has another order under the same id.");
			case NotFound _ -> throw refused(404, Placed.UNKNOWN);
			// A backend may answer 409 because it has the order.
			case Rejected(int status) -> throw refused(status, (status == 409) ? Placed.UNKNOWN : Placed.NO);
			case Refused(int status) -> throw refused(status, Placed.UNKNOWN);
			case Busy busy -> throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE,
					"The backend is busy: it answered with status " + busy.status() + ".", Placed.UNKNOWN,
					busy.retryAfter());
			case TimedOut timedOut ->
				throw new ProblemException(ProblemType.BACKEND_TIMEOUT, ("The backend did not answer within %s ms. "
						+ "Whether it saved the order is unknown: repeat the request with the same Idempotency-Key.")
					.formatted(timedOut.limit().toMillis()));
			case Unreachable _ ->
				throw new ProblemException(ProblemType.BACKEND_UNAVAILABLE, "The connection to the backend failed.");
			case NotCalled(ProblemException problem) -> throw problem;
		};
	}

	private static ProblemException refused(int status, Placed placed) {
		return new ProblemException(ProblemType.BACKEND_REFUSED, "The backend answered with status " + status + ".",
				placed);
	}

}
