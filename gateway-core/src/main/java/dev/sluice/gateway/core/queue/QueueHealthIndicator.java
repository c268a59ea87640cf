package dev.sluice.gateway.core.queue;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Whether queued orders are accepted: down until Kafka has been reached once, and while
 * it fails. Only orders detect an outage: without them a dead Kafka goes unnoticed. Not
 * part of readiness, see {@link TopicsHealthIndicator}.
 */
@Component
final class QueueHealthIndicator implements HealthIndicator {

	private final QueuePolicy policy;

	QueueHealthIndicator(QueuePolicy policy) {
		this.policy = policy;
	}

	@Override
	public Health health() {
		return (this.policy.accepts() ? Health.up() : Health.down()).build();
	}

}
