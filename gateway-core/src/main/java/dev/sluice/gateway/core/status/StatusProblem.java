package dev.sluice.gateway.core.status;

import java.util.UUID;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.Reading;

/** Problems of a look-up that found nothing. */
public final class StatusProblem {

	private StatusProblem() {
	}

	/**
	 * No source knows the order.
	 * @param id the order's id
	 * @param reading how much of Kafka had been read before PostgreSQL was asked
	 * @param answer the backend's
	 * @return 404 only if no client was given the id
	 */
	public static ProblemException unknown(UUID id, Reading reading, BackendResult answer) {
		if (!(answer instanceof BackendResult.NotFound)) {
			// It may be a sync order, which only the backend knows.
			return new ProblemException(ProblemType.STATUS_UNAVAILABLE,
					"The backend does not answer, so the status of order " + id + " is unknown.", Placed.NO);
		}
		return (reading == Reading.CURRENT)
				? new ProblemException(ProblemType.NOT_FOUND, "No order has the id " + id + ".")
				: new ProblemException(ProblemType.STATUS_UNAVAILABLE, "Order " + id + " is not known yet.", Placed.NO);
	}

	/** PostgreSQL does not answer, and no other source knows the order. */
	public static ProblemException unavailable(UUID id) {
		return new ProblemException(ProblemType.STATUS_UNAVAILABLE,
				"The status store does not answer, so the status of order " + id + " is unknown.", Placed.NO);
	}

	/** PostgreSQL does not answer. */
	public static ProblemException unavailable() {
		return new ProblemException(ProblemType.STATUS_UNAVAILABLE, "The status store does not answer.", Placed.NO);
	}

	/** A sync order cannot be placed, because its key may stand for another order. */
	static ProblemException keyNotKnown() {
		return new ProblemException(ProblemType.STATUS_UNAVAILABLE,
				"Whether the Idempotency-Key was used before cannot be determined at the moment.", Placed.NO);
	}

}
