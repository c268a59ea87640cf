package dev.sluice.gateway;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The queue, as readiness sees it: down until Kafka has been reached once. Later outages
 * leave it up, as every gateway has the same broker: turning clients away from all of
 * them would stop sync orders and status too.
 */
@Component
final class QueueHealthIndicator implements HealthIndicator {

	private final OrderTopics topics;

	QueueHealthIndicator(OrderTopics topics) {
		this.topics = topics;
	}

	@Override
	public Health health() {
		return (this.topics.ready() ? Health.up() : Health.down()).build();
	}

}
