package dev.sluice.backend;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/** Starts the backend. It creates a connection pool itself, if it needs one. */
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
@ConfigurationPropertiesScan
public class BackendMockApplication {

	public static void main(String[] args) {
		SpringApplication.run(BackendMockApplication.class, args);
	}

}
