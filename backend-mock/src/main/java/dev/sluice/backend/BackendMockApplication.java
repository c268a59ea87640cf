package dev.sluice.backend;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the backend. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class BackendMockApplication {

	public static void main(String[] args) {
		SpringApplication.run(BackendMockApplication.class, args);
	}

}
