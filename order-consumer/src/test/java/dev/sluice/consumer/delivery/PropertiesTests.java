package dev.sluice.consumer.delivery;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.QueueProperties;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.projection.ProjectionProperties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class PropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@ParameterizedTest
	@ValueSource(strings = { "delivery.concurrency=0", "delivery.max-pending=100", "delivery.max-pending-size=0",
			"delivery.max-pending-size=-1MB", "delivery.drain-timeout=-1s", "delivery.rebalance-timeout=-1s",
			"delivery.ordering=customer", "delivery.evidence-gap=0s", "delivery.max-age=-1s",
			"delivery.max-retry-after=-1s", "backend.circuit.open-after=0s", "backend.circuit.open-for=0s",
			"backend.idle-timeout=0s", "queue.replication-factor=0", "projection.batch-size=0", "projection.linger=11s",
			"queue.min-insync-replicas=2", "queue.retention=-1s", "backend.url=backend:8090",
			"backend.url=http://backend:8090/v1" })
	void refuseWhatCannotWork(String property) {
		this.runner.run((context) -> assertThat(context).as("the defaults").hasNotFailed());
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class)
				.hasMessageContaining(property.substring(0, property.indexOf('.'))));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ DeliveryProperties.class, BackendProperties.class, QueueProperties.class,
			ProjectionProperties.class })
	static class Properties {

	}

}
