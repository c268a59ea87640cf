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

	/** Read by the JVM when the first virtual thread starts. */
	static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";

	public static void main(String[] args) {
		ServiceJvm.prepare();
		setCarriers();
		WarmUp warmUp = WarmUp.run(GatewayApplication.class, args);
		SpringApplication.run(GatewayApplication.class, args);
		warmUp.log();
	}

	/**
	 * As many platform threads run the virtual ones as reactor-netty has event loops, at
	 * least four, unless the command line says otherwise. One for each core, the JVM's
	 * default, gets a small share of two cores beside the compilers of a new JVM.
	 */
	static void setCarriers() {
		int count = Math.max(4, Runtime.getRuntime().availableProcessors());
		System.getProperties().putIfAbsent(CARRIERS, Integer.toString(count));
	}

}
