package dev.sluice.devservices;

/** A running PostgreSQL with an empty database that its user owns. */
public interface PostgresService extends Breakable {

	String host();

	int port();

	default String database() {
		return "sluice";
	}

	default String username() {
		return "sluice";
	}

	default String password() {
		return "sluice";
	}

	/** Without user and password. */
	default String jdbcUrl() {
		return "jdbc:postgresql://%s:%d/%s".formatted(host(), port(), database());
	}

	/** Without user and password. */
	default String r2dbcUrl() {
		return "r2dbc:postgresql://%s:%d/%s".formatted(host(), port(), database());
	}

}
