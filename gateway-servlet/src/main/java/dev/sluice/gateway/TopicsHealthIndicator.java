package dev.sluice.gateway;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The topics, as readiness sees them: down until Kafka has been reached once. Later
 * outages leave them up, as every gateway has the same broker: turning clients away from
 * all of them would stop sync orders and status too. {@link QueueHealthIndicator} tells
 * of those.
 */
@Component
final class TopicsHealthIndicator implements HealthIndicator {

	private final OrderTopics topics;

	TopicsHealthIndicator(OrderTopics topics) {
		this.topics = topics;
	}

	@Override
	public Health health() {
		return (this.topics.ready() ? Health.up() : Health.down()).build();
	}

}
