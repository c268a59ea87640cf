package dev.sluice.consumer.projection;

import java.time.InstantSource;

import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import io.micrometer.core.instrument.MeterRegistry;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.ConsumerFactory;

/** Configures the projection. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "projection.enabled", matchIfMissing = true)
class ProjectionConfiguration {

	@Bean
	Projection projection(ProjectionProperties properties, TopicWatch topics, LostRecords lost, JdbcTemplate jdbc,
			ConsumerFactory<byte[], byte[]> consumers, JsonMapper json, MeterRegistry registry, InstantSource clock,
			Supervisor supervisor) {
		return new Projection(properties, topics, lost, new StatusReader(json), new StatusTable(jdbc, registry),
				consumers, registry, clock, supervisor);
	}

	/** Never down: nothing depends on the projection. */
	@Bean
	HealthIndicator projectionHealthIndicator(Projection projection) {
		return () -> {
			Health.Builder health = (projection.state() == Projection.State.WORKING) ? Health.up() : Health.unknown();
			health.withDetail("state", projection.state()).withDetail("ageSeconds", projection.ageSeconds());
			String cause = projection.cause();
			return ((cause != null) ? health.withDetail("cause", cause) : health).build();
		};
	}

}
