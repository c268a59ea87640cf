package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** PostgreSQL in a container. */
final class ContainerPostgres extends Container<PostgreSQLContainer> implements PostgresService {

	static final String IMAGE = "postgres:18";

	private static final String PROBE_TIMEOUT_SECONDS = "2";

	ContainerPostgres(int port) {
		super("PostgreSQL", PostgreSQLContainer.POSTGRESQL_PORT, port, ContainerPostgres::postgres,
				ContainerPostgres::serves);
	}

	private static PostgreSQLContainer postgres() {
		return new PostgreSQLContainer(IMAGE).withDatabaseName(DATABASE)
			.withUsername(USER)
			.withPassword(USER)
			// The module's default turns fsync off.
			.withCommand("postgres")
			.withStartupTimeout(DevServices.startTimeout());
	}

	@Override
	public String host() {
		return get().getHost();
	}

	@Override
	public int port() {
		return get().getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT);
	}

	private static boolean serves(PostgreSQLContainer container) {
		Properties login = new Properties();
		login.put("user", container.getUsername());
		login.put("password", container.getPassword());
		login.put("connectTimeout", PROBE_TIMEOUT_SECONDS);
		login.put("socketTimeout", PROBE_TIMEOUT_SECONDS);
		try (Connection connection = DriverManager.getConnection(container.getJdbcUrl(), login)) {
			return connection.isValid(Integer.parseInt(PROBE_TIMEOUT_SECONDS));
		}
		catch (SQLException _) {
			return false;
		}
	}

}
