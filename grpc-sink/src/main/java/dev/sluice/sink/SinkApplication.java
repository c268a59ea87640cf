package dev.sluice.sink;

import dev.sluice.topics.ServiceJvm;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the sink. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SinkApplication {

	public static void main(String[] args) {
		ServiceJvm.prepare();
		SpringApplication.run(SinkApplication.class, args);
	}

}
