package dev.sluice.gateway.core.queue;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The topics, as readiness sees them: down until all of them have been there once. Later
 * outages leave them up, as every gateway has the same broker: turning clients away from
 * all of them would stop sync orders and status too. {@link QueueHealthIndicator} tells
 * of those. The details say which topics are missing and which settings differ from what
 * they should be.
 */
@Component
public final class TopicsHealthIndicator implements HealthIndicator {

	private final OrderTopics topics;

	public TopicsHealthIndicator(OrderTopics topics) {
		this.topics = topics;
	}

	@Override
	public Health health() {
		return (this.topics.reached() ? Health.up() : Health.down()).withDetails(this.topics.state().details()).build();
	}

}
