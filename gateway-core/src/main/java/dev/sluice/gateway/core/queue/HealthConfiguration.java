package dev.sluice.gateway.core.queue;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Kafka's state means for the health of the gateway. */
@Configuration(proxyBeanMethods = false)
class HealthConfiguration {

	/**
	 * Whether queued orders are accepted: down until Kafka has been reached once, and
	 * while it fails. Only orders detect an outage: without them a dead Kafka goes
	 * unnoticed. Not part of readiness.
	 */
	@Bean
	static HealthIndicator queueHealthIndicator(QueuePolicy policy) {
		return () -> (policy.accepts() ? Health.up() : Health.down()).build();
	}

	/**
	 * The topics' part of readiness: down until all of them have been there once. Later
	 * outages leave it up: every gateway has the same broker, and taking all gateways out
	 * of rotation would stop sync orders and status too. The details list missing topics
	 * and settings that differ from the expected ones.
	 */
	@Bean
	static HealthIndicator topicsHealthIndicator(OrderTopics topics) {
		return () -> (topics.reached() ? Health.up() : Health.down()).withDetails(topics.details()).build();
	}

}
