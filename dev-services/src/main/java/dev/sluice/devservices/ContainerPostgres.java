package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

import org.testcontainers.containers.GenericContainer;

/** PostgreSQL in a container. */
final class ContainerPostgres extends Container implements PostgresService {

	static final String IMAGE = "postgres:18";

	private static final String PROBE_TIMEOUT_SECONDS = "2";

	ContainerPostgres(int port) {
		super("PostgreSQL", new GenericContainer<>(IMAGE)
			.withEnv(Map.of("POSTGRES_DB", DATABASE, "POSTGRES_USER", USER, "POSTGRES_PASSWORD", USER)), 5432, port);
	}

	@Override
	boolean serves() {
		Properties login = new Properties();
		login.put("user", USER);
		login.put("password", USER);
		login.put("connectTimeout", PROBE_TIMEOUT_SECONDS);
		login.put("socketTimeout", PROBE_TIMEOUT_SECONDS);
		try (Connection connection = DriverManager.getConnection(jdbcUrl(), login)) {
			return connection.isValid(Integer.parseInt(PROBE_TIMEOUT_SECONDS));
		}
		catch (SQLException _) {
			return false;
		}
	}

}
