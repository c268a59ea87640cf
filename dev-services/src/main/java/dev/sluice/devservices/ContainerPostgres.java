package dev.sluice.devservices;

import java.time.Duration;

import org.testcontainers.postgresql.PostgreSQLContainer;

/** PostgreSQL in a container. */
final class ContainerPostgres implements Server, PostgresService {

	static final String IMAGE = "postgres:18";

	private final Container<PostgreSQLContainer> container;

	ContainerPostgres(int port) {
		this.container = new Container<>("PostgreSQL", PostgreSQLContainer.POSTGRESQL_PORT, port,
				() -> new PostgreSQLContainer(IMAGE).withDatabaseName(database())
					.withUsername(username())
					.withPassword(password())
					// The module's default turns fsync off.
					.withCommand("postgres")
					.withStartupTimeout(Duration.ofSeconds(120)));
	}

	@Override
	public void start() {
		this.container.start();
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

}
