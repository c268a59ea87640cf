package dev.sluice.consumer;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health indicators of the parts that are switched off in this instance. */
@Configuration(proxyBeanMethods = false)
class DisabledPartsConfiguration {

	@Bean
	@ConditionalOnProperty(name = "delivery.enabled", havingValue = "false")
	HealthIndicator deliveryHealthIndicator() {
		return DisabledPartsConfiguration::off;
	}

	@Bean
	@ConditionalOnProperty(name = "projection.enabled", havingValue = "false")
	HealthIndicator projectionHealthIndicator() {
		return DisabledPartsConfiguration::off;
	}

	private static Health off() {
		return Health.up().withDetail("state", "off").build();
	}

}
