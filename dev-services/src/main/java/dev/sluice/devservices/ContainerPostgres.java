package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

import org.testcontainers.containers.GenericContainer;

/** PostgreSQL in a container. */
final class ContainerPostgres extends Container implements PostgresService {

	static final String IMAGE = "postgres:18";

	/** How long a look at it may take. */
	private static final int SECONDS = 2;

	ContainerPostgres(int port) {
		super("PostgreSQL", new GenericContainer<>(IMAGE)
			.withEnv(Map.of("POSTGRES_DB", DATABASE, "POSTGRES_USER", USER, "POSTGRES_PASSWORD", USER)), 5432, port);
	}

	@Override
	boolean serves() {
		try (Connection connection = DriverManager
			.getConnection("%s?connectTimeout=%2$s&socketTimeout=%2$s".formatted(jdbcUrl(), SECONDS), USER, USER)) {
			return connection.isValid(SECONDS);
		}
		catch (SQLException _) {
			return false;
		}
	}

}
