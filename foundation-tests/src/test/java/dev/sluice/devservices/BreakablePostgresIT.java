package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Injects faults into a real database. The tests share it and leave it running. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("embedded")
class BreakablePostgresIT {

	/** For a database that does not answer. */
	private static final Duration SOON = Duration.ofSeconds(2);

	private DevServices services;

	@BeforeAll
	void start() {
		this.services = DevServices.start(Infrastructure.fromEnvironment());
	}

	@AfterAll
	void stop() {
		if (this.services != null) {
			this.services.close();
		}
	}

	/** What has ended can be stopped, too. */
	@Test
	void rowsCommittedBeforeAKillAndAStopAreThereAfterTheStart() throws SQLException {
		PostgresService postgres = this.services.postgres();
		Breakable server = postgres.server();
		query(postgres, "create table kept as select 7 as c; select 1");

		server.kill();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> query(postgres, "select 1", SOON));
		server.stop();
		server.start();
		server.stop();
		server.start();

		assertThat(query(postgres, "select c from kept")).isEqualTo("7");
	}

	@Test
	void frozenDatabaseAnswersAgainWhenItIsUnfrozen() throws SQLException {
		PostgresService postgres = this.services.postgres();
		query(postgres, "create table frozen as select 8 as c; select 1");

		postgres.server().freeze();
		try {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> query(postgres, "select 1", SOON));
		}
		finally {
			postgres.server().unfreeze();
		}

		assertThat(query(postgres, "select c from frozen")).isEqualTo("8");
	}

	private static String query(PostgresService postgres, String sql) throws SQLException {
		return query(postgres, sql, Patience.ofSeconds(60));
	}

	private static String query(PostgresService postgres, String sql, Duration timeout) throws SQLException {
		Properties login = new Properties();
		login.put("user", postgres.username());
		login.put("password", postgres.password());
		login.put("connectTimeout", Long.toString(timeout.toSeconds()));
		login.put("socketTimeout", Long.toString(timeout.toSeconds()));
		try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(), login)) {
			return DevServicesIT.query(connection, sql);
		}
	}

}
