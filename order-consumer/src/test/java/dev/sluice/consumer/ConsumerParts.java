package dev.sluice.consumer;

import java.time.InstantSource;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.core.env.MapPropertySource;

/**
 * The beans and the settings of {@link OrderConsumerApplication} without its web server
 * and management endpoints, which cost more than many a test. Not annotated as a
 * configuration, so that the application does not find it.
 */
@ComponentScan(excludeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE,
		classes = OrderConsumerApplication.class))
@ConfigurationPropertiesScan
@ImportAutoConfiguration({ ConfigurationPropertiesAutoConfiguration.class, DataSourceAutoConfiguration.class,
		JacksonAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, KafkaAutoConfiguration.class,
		LifecycleAutoConfiguration.class, SslAutoConfiguration.class })
class ConsumerParts {

	/** Closing the context stops the beans as SIGTERM does. */
	static ConfigurableApplicationContext start(Map<String, Object> properties) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		ConfigDataEnvironmentPostProcessor.applyTo(context.getEnvironment());
		context.register(ConsumerParts.class);
		context.refresh();
		return context;
	}

	@Bean
	InstantSource clock() {
		return InstantSource.system();
	}

	@Bean
	MeterRegistry meters() {
		return new SimpleMeterRegistry();
	}

}
