package dev.sluice.devservices;

import java.util.List;

/** A running PostgreSQL with an empty database that its user owns. */
public final class PostgresService extends Servers {

	/** The name of the database, of its user, and the user's password. */
	static final String NAME = "sluice";

	private final String address;

	/** Starts nothing. */
	PostgresService(String host, int port, Breakable server) {
		super(List.of(server));
		this.address = "postgresql://%s:%s/%s".formatted(host, port, NAME);
	}

	public String username() {
		return NAME;
	}

	public String password() {
		return NAME;
	}

	/** Without user and password. */
	public String jdbcUrl() {
		return "jdbc:" + this.address;
	}

	/** Without user and password. */
	public String r2dbcUrl() {
		return "r2dbc:" + this.address;
	}

	/** For faults. */
	public Breakable server() {
		return this.servers.getFirst();
	}

}
