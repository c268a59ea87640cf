package dev.sluice.gateway.core.status;

import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.core.queue.OrderTopics;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/**
 * The part of readiness that idempotency keys have: down until one has been looked up,
 * for which the gateway reads Kafka to its end and opens its connections to PostgreSQL.
 * After {@value #TRIES} look-ups without an answer it is up, too: accepting orders does
 * not need PostgreSQL. Stays up.
 */
@Component
public final class KeysReadiness {

	private static final int TRIES = 5;

	private final OrderTopics topics;

	private final AtomicInteger left = new AtomicInteger(TRIES);

	public KeysReadiness(OrderTopics topics) {
		this.topics = topics;
	}

	/** Whether to look a key up now; not before Kafka's topics have been there. */
	public boolean begin() {
		return this.topics.reached() && this.left.getAndUpdate((tries) -> Math.max(0, tries - 1)) > 0;
	}

	/** A key was looked up. */
	public void end(KeyUse use) {
		if (!(use instanceof KeyUse.Unknown)) {
			this.left.set(0);
		}
	}

	public Health health() {
		return ((this.left.get() > 0) ? Health.down() : Health.up()).build();
	}

}
