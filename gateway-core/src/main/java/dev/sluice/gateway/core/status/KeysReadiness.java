package dev.sluice.gateway.core.status;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.queue.OrderTopics;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The part of readiness that idempotency keys have: down until one has been looked up, as
 * a sync order does it, for which the gateway reads Kafka to its end and opens its
 * connections to PostgreSQL. After {@value #TRIES} look-ups without an answer it is up,
 * too: accepting orders does not need PostgreSQL. Stays up.
 */
@Component("keysHealthIndicator")
final class KeysReadiness implements HealthIndicator {

	private static final int TRIES = 5;

	private final OrderTopics topics;

	private final KeyLookups keys;

	private final AtomicInteger left = new AtomicInteger(TRIES);

	KeysReadiness(OrderTopics topics, KeyLookups keys) {
		this.topics = topics;
		this.keys = keys;
	}

	/** Tries no key before Kafka's topics have been there. */
	@Override
	public Health health() {
		if (this.topics.reached() && this.left.getAndUpdate((tries) -> Math.max(0, tries - 1)) > 0
				&& !(this.keys.find(UUID.randomUUID(), Mode.SYNC).join() instanceof KeyUse.Unknown)) {
			this.left.set(0);
		}
		return ((this.left.get() > 0) ? Health.down() : Health.up()).build();
	}

}
