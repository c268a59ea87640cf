package dev.sluice.devservices;

import java.util.List;

/** A running PostgreSQL with an empty database that its user owns. */
public interface PostgresService extends Breakable {

	/** The name of the database. */
	String DATABASE = "sluice";

	/** Name and password of the user. */
	String USER = "sluice";

	String host();

	int port();

	/** As {@link KafkaService#processes}. */
	List<Long> processes();

	default String username() {
		return USER;
	}

	default String password() {
		return USER;
	}

	/** Without user and password. */
	default String jdbcUrl() {
		return "jdbc:postgresql://%s:%s/%s".formatted(host(), port(), DATABASE);
	}

	/** Without user and password. */
	default String r2dbcUrl() {
		return "r2dbc:postgresql://%s:%s/%s".formatted(host(), port(), DATABASE);
	}

}
