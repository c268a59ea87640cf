package dev.sluice.lab.pool;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A connection to PostgreSQL; each message is a row. */
final class PostgresLink implements Link {

	private static final String CONNECT_SECONDS = "10";

	private static final String TABLE = """
			create table if not exists pool_message (
				id bigint generated always as identity primary key,
				written_at timestamptz not null default now()
			)""";

	private static final String WRITE = "insert into pool_message default values";

	private final Connection connection;

	private PostgresLink(String url, int answerMillis) throws IOException {
		try {
			this.connection = connect(url, answerMillis);
		}
		catch (SQLException ex) {
			throw new IOException(ex);
		}
	}

	private static Connection connect(String url, int answerMillis) throws SQLException {
		Properties properties = new Properties();
		properties.put("user", "sluice");
		properties.put("password", "sluice");
		properties.put("connectTimeout", CONNECT_SECONDS);
		properties.put("socketTimeout", Long.toString(TimeUnit.MILLISECONDS.toSeconds(answerMillis)));
		return DriverManager.getConnection(url, properties);
	}

	/**
	 * Each message is a row in the table {@code pool_message}, which is created if it is
	 * missing.
	 * @param url JDBC URL; user and password are sluice
	 * @throws IOException if the database does not answer
	 */
	static Opener to(String url) throws IOException {
		try (Connection connection = connect(url, (int) TimeUnit.MINUTES.toMillis(1));
				Statement statement = connection.createStatement()) {
			statement.execute(TABLE);
		}
		catch (SQLException ex) {
			throw new IOException(ex);
		}
		return (answerMillis) -> new PostgresLink(url, answerMillis);
	}

	@Override
	public boolean exchange() throws IOException {
		// The driver caches the prepared statement.
		try (PreparedStatement write = this.connection.prepareStatement(WRITE)) {
			write.executeUpdate();
			return true;
		}
		catch (SQLException ex) {
			throw new IOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("a connection to PostgreSQL cannot be closed", ex);
		}
	}

}
