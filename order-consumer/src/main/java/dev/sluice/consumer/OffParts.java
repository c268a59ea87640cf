package dev.sluice.consumer;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health of the parts that this instance does not run. */
@Configuration(proxyBeanMethods = false)
class OffParts {

	@Bean
	@ConditionalOnProperty(name = "delivery.enabled", havingValue = "false")
	HealthIndicator deliveryHealthIndicator() {
		return OffParts::off;
	}

	@Bean
	@ConditionalOnProperty(name = "projection.enabled", havingValue = "false")
	HealthIndicator projectionHealthIndicator() {
		return OffParts::off;
	}

	private static Health off() {
		return Health.up().withDetail("state", "off").build();
	}

}
