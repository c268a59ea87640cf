package dev.sluice.backend;

import java.util.Locale;
import java.util.TimeZone;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/** Starts the backend. It imports a connection pool, if it needs one. */
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
@ConfigurationPropertiesScan
public class BackendMockApplication {

	public static void main(String[] args) {
		// As in Sluice's services: the machine's settings change neither digits nor
		// PostgreSQL's session.
		Locale.setDefault(Locale.ROOT);
		TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
		SpringApplication.run(BackendMockApplication.class, args);
	}

}
