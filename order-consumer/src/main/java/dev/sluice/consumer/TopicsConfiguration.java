package dev.sluice.consumer;

import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.topics.TopicSpecs;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaAdmin;

/** What the delivery and the projection share, and the health of one that is off. */
@Configuration(proxyBeanMethods = false)
class TopicsConfiguration {

	@Bean(initMethod = "start", destroyMethod = "close")
	TopicWatch topicWatch(QueueProperties properties, KafkaAdmin admin) {
		return new TopicWatch(TopicSpecs.orders(properties.partitions(), properties.replicationFactor(),
				properties.minInsyncReplicas()), admin.getConfigurationProperties());
	}

	/** Never down: an outage of Kafka does not make this process unhealthy. */
	@Bean
	HealthIndicator topicsHealthIndicator(TopicWatch topics) {
		return () -> (topics.ready() ? Health.up() : Health.unknown()).withDetails(topics.details()).build();
	}

	@Bean
	Supervisor threads(MeterRegistry registry) {
		return new Supervisor(
				(thread) -> ConsumerMetric.THREAD_FAILURES.counter(registry, "thread", thread).increment());
	}

	@Bean
	LostRecords lostRecords(MeterRegistry registry) {
		return new LostRecords(registry);
	}

	/**
	 * Down from the first loss until a restart. It is not part of liveness: a restart
	 * restores nothing and would hide the loss.
	 */
	@Bean
	HealthIndicator lostRecordsHealthIndicator(LostRecords lost) {
		return () -> (lost.isEmpty() ? Health.up() : Health.down().withDetails(lost.details())).build();
	}

	@Bean
	@ConditionalOnProperty(name = "delivery.enabled", havingValue = "false")
	HealthIndicator deliveryHealthIndicator() {
		return () -> Health.up().withDetail("state", "off").build();
	}

	@Bean
	@ConditionalOnProperty(name = "projection.enabled", havingValue = "false")
	HealthIndicator projectionHealthIndicator() {
		return () -> Health.up().withDetail("state", "off").build();
	}

}
