package dev.sluice.gateway.core.status;

import java.util.Optional;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import org.jspecify.annotations.Nullable;

/** Whether an idempotency key was used before. */
public sealed interface KeyUse {

	/** It was used for an order with this payload. */
	record Used(Fingerprint fingerprint) implements KeyUse {
	}

	/**
	 * It was not used, as far as PostgreSQL and Kafka know. Where Kafka has not answered
	 * for some seconds, that is what the gateway had read before.
	 */
	record Unused() implements KeyUse {
	}

	/** PostgreSQL or Kafka did not say so in time. */
	record Unknown() implements KeyUse {
	}

	/** The tag of {@link GatewayMetric#KEY_LOOKUP}. */
	default String outcome() {
		return switch (this) {
			case Used _ -> "known";
			case Unused _ -> "unknown";
			case Unknown _ -> "unanswered";
		};
	}

	/**
	 * Decides from what was found out, in this order: Kafka was read first, then
	 * PostgreSQL was asked, so that an order which leaves Kafka's part in between is
	 * found in PostgreSQL.
	 * @param reading how much of Kafka had been read
	 * @param inKafka the payload that Kafka has under the id, or null
	 * @param inTable the payload that PostgreSQL has under the id, empty if none; null if
	 * PostgreSQL did not answer
	 */
	static KeyUse of(Reading reading, @Nullable Fingerprint inKafka, @Nullable Optional<Fingerprint> inTable) {
		if (inTable != null && inTable.isPresent()) {
			// What is earlier is here: Kafka's part may begin with a later record.
			return new Used(inTable.get());
		}
		if (inKafka != null) {
			return new Used(inKafka);
		}
		return (inTable == null || reading == Reading.BEHIND) ? new Unknown() : new Unused();
	}

}
