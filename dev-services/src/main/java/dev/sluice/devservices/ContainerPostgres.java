package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** PostgreSQL in a container. */
final class ContainerPostgres implements Server, PostgresService {

	static final String IMAGE = "postgres:18";

	private static final String PROBE_TIMEOUT_SECONDS = "2";

	private final Container<PostgreSQLContainer> container;

	ContainerPostgres(int port) {
		this.container = new Container<>("PostgreSQL", PostgreSQLContainer.POSTGRESQL_PORT, port,
				() -> new PostgreSQLContainer(IMAGE).withDatabaseName(database())
					.withUsername(username())
					.withPassword(password())
					// The module's default turns fsync off.
					.withCommand("postgres")
					.withStartupTimeout(DevServices.startTimeout()),
				ContainerPostgres::serves);
	}

	@Override
	public void start() {
		this.container.start();
	}

	@Override
	public void kill() {
		this.container.kill();
	}

	@Override
	public void stop() {
		this.container.stop();
	}

	@Override
	public void freeze() {
		this.container.freeze();
	}

	@Override
	public void unfreeze() {
		this.container.unfreeze();
	}

	@Override
	public void close() {
		this.container.close();
	}

	@Override
	public String host() {
		return this.container.get().getHost();
	}

	@Override
	public int port() {
		return this.container.get().getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT);
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
