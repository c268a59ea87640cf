package dev.sluice.gateway;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The queue, as readiness sees it: down until Kafka has been reached once. Later outages
 * leave it up, as every gateway has the same broker: turning clients away from all of
 * them would stop sync orders and status too. The circuit's state is a detail.
 */
@Component
final class QueueHealthIndicator implements HealthIndicator {

	private final OrderTopics topics;

	private final CircuitBreakerRegistry circuits;

	QueueHealthIndicator(OrderTopics topics, CircuitBreakerRegistry circuits) {
		this.topics = topics;
		this.circuits = circuits;
	}

	@Override
	public Health health() {
		return (this.topics.ready() ? Health.up() : Health.down())
			.withDetail("circuit", this.circuits.circuitBreaker(OrderQueue.NAME).getState())
			.build();
	}

}
