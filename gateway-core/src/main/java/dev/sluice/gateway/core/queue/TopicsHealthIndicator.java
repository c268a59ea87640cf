package dev.sluice.gateway.core.queue;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The topics' part of readiness: down until all of them have been there once. Later
 * outages, which {@link QueueHealthIndicator} reports, leave it up: every gateway has the
 * same broker, and taking all gateways out of rotation would stop sync orders and status
 * too. The details list missing topics and settings that differ from the expected ones.
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
