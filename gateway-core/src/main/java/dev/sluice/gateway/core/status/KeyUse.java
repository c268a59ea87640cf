package dev.sluice.gateway.core.status;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentRecord;
import dev.sluice.gateway.core.web.OrderRequest;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** Whether an idempotency key was used before. */
public sealed interface KeyUse {

	/**
	 * It was used for an order.
	 *
	 * @param fingerprint the order's payload; null if only the backend knows it
	 * @param conflict a payload that the backend refused for that one, or null
	 */
	record Used(@Nullable Fingerprint fingerprint, @Nullable Fingerprint conflict) implements KeyUse {

		boolean refuses(@Nullable Fingerprint other) {
			return Objects.equals(this.conflict, other)
					|| (this.fingerprint != null && !this.fingerprint.equals(other));
		}

	}

	/**
	 * It was not used, as far as PostgreSQL and Kafka know. If Kafka has not answered for
	 * some seconds, what the gateway read before counts.
	 */
	record Unused() implements KeyUse {
	}

	/**
	 * PostgreSQL or Kafka did not answer in time.
	 *
	 * @param accepted the payload of an order that was accepted with it, maybe not the
	 * first; null if none is known
	 */
	record Unknown(@Nullable Fingerprint accepted) implements KeyUse {
	}

	/**
	 * Whether an order with this key must still be dispatched.
	 * @param request the request
	 * @param key its idempotency key
	 * @return false if the order was accepted before and gets the same answer
	 * @throws ProblemException if the key was used for another order, or it is not known
	 * whether it was
	 */
	default boolean isDispatchNeeded(OrderRequest request, IdempotencyKey key) {
		return switch (this) {
			case Used used when used.refuses(request.order().fingerprint()) -> throw key.reused();
			// Only the backend has the first answer to a sync order.
			case Used used -> request.mode() == Mode.SYNC || used.fingerprint() == null;
			case Unused _ -> true;
			// The backend would save it in place of an order that was accepted.
			case Unknown _ when request.mode() == Mode.SYNC ->
				throw new ProblemException(ProblemType.STATUS_UNAVAILABLE,
						"Whether the Idempotency-Key was used before cannot be determined at the moment.", Placed.NO);
			// The consumer delivers the payload that is first in Kafka.
			case Unknown(Fingerprint accepted) ->
				accepted == null || new Used(accepted, null).isDispatchNeeded(request, key);
		};
	}

	/** Records how long the look-up took. */
	default void record(MeterRegistry meters, long elapsedNanos) {
		String outcome = switch (this) {
			case Used _ -> "known";
			case Unused _ -> "unknown";
			case Unknown _ -> "unanswered";
		};
		GatewayMetric.KEY_LOOKUP.timer(meters, "outcome", outcome).record(elapsedNanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Decides from the look-ups.
	 * @param inKafka the order that has the key's id
	 * @param inTable what PostgreSQL knows; null if it did not answer
	 */
	static KeyUse of(RecentOrder inKafka, @Nullable Optional<Used> inTable) {
		RecentRecord save = inKafka.save();
		if (save != null && save.fingerprint() != null) {
			// The backend has it, whichever record was first.
			return new Used(save.fingerprint(), null);
		}
		if (inTable != null && inTable.isPresent()) {
			// PostgreSQL has the first record: what was read from Kafka may begin with a
			// later one.
			return inTable.get();
		}
		Fingerprint accepted = (inKafka.acceptance() != null) ? inKafka.acceptance().fingerprint() : null;
		if (inTable == null || (accepted == null && inKafka.reading() == Reading.BEHIND)) {
			return new Unknown(accepted);
		}
		return (accepted != null) ? new Used(accepted, null) : new Unused();
	}

}
