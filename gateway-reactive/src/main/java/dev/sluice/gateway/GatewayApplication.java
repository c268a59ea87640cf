package dev.sluice.gateway;

import dev.sluice.gateway.core.warmup.WarmUp;
import dev.sluice.topics.ServiceJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the gateway. It needs neither Kafka, PostgreSQL nor the backend to start. */
@SpringBootApplication
@ConfigurationPropertiesScan
class GatewayApplication {

	public static void main(String[] args) {
		ServiceJvm.prepare();
		WarmUp warmUp = WarmUp.run(GatewayApplication.class, args);
		SpringApplication.run(GatewayApplication.class, args);
		warmUp.log();
	}

}
