package dev.sluice.consumer;

import java.time.InstantSource;

import dev.sluice.topics.ServiceJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Bean;

/**
 * The consumer's process. It starts even while Kafka, PostgreSQL or the backend is down.
 */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class OrderConsumerApplication {

	public static void main(String[] args) {
		ServiceJvm.prepare();
		SpringApplication.run(OrderConsumerApplication.class, args);
	}

	@Bean
	InstantSource clock() {
		return InstantSource.system();
	}

}
