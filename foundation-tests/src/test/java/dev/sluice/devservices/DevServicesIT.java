package dev.sluice.devservices;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Tag("embedded")
@ResourceLock(value = SharedKafka.LOCK, mode = ResourceAccessMode.READ)
class DevServicesIT {

	@Test
	void postgresHasADatabaseThatItsUserOwns() throws SQLException {
		PostgresService postgres = DevServices.shared().postgres();

		assertThat(query(postgres, "select 1")).isEqualTo("1");
		assertThat(query(postgres,
				"drop table if exists t; create table t (c int); insert into t values (7); select c from t"))
			.isEqualTo("7");
	}

	@Test
	void postgresCommitsAreDurable() throws SQLException {
		PostgresService postgres = DevServices.shared().postgres();

		assertThat(query(postgres, "show fsync")).isEqualTo("on");
		assertThat(query(postgres, "show synchronous_commit")).isEqualTo("on");
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void tellsTheProcessesOfTheServers() {
		DevServices services = DevServices.shared();
		// A container has a proxy, too.
		int each = (services.infrastructure() == Infrastructure.CONTAINERS) ? 2 : 1;

		assertThat(List.of(services.kafka().processes(), services.postgres().processes()))
			.allSatisfy((pids) -> assertThat(pids).hasSize(each)
				.allSatisfy((pid) -> assertThat(ProcessHandle.of(pid)).isPresent()));
	}

	/** Kafka's data are in such a directory, too. */
	@Test
	void embeddedPostgresIsClosedToOtherUsersAndLeavesNothing() throws Exception {
		Path directory;
		int port = Ports.free();
		try (EmbeddedProcess server = EmbeddedPostgres.server(port)) {
			server.start();
			directory = server.data().getParent();

			Path programs = Path.of(System.getProperty("user.home"), ".cache", "sluice-postgres");
			assertThat(List.of(directory, programs))
				.allSatisfy((closed) -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(closed)))
					.isEqualTo("rwx------"));
			takesNoLoginWithoutThePassword(new PostgresService("127.0.0.1", port, server),
					directory.resolve("password"));
			if (Files.exists(Path.of("/proc/self/cmdline"))) {
				assertThat(processesIn(directory)).hasSizeGreaterThan(1);
			}
		}

		assertThat(directory).doesNotExist();
		await().until(() -> processesIn(directory).isEmpty());
	}

	/** The child JVM, and PostgreSQL, which is no child. */
	private static List<String> processesIn(Path directory) {
		return ProcessHandle.allProcesses()
			.map(DevServicesIT::command)
			.filter((command) -> command.contains(directory.toString()))
			.toList();
	}

	private static String command(ProcessHandle process) {
		try {
			// Whole, unlike that of ProcessHandle.
			return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"),
					StandardCharsets.ISO_8859_1);
		}
		catch (IOException _) {
			return "";
		}
	}

	private static void takesNoLoginWithoutThePassword(PostgresService postgres, Path password) throws Exception {
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> login(postgres, "postgres", "postgres"))
			.withMessageContaining("password authentication failed");
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> login(postgres, postgres.username(), "another"))
			.withMessageContaining("password authentication failed");
		try (Connection superuser = login(postgres, "postgres", Files.readString(password))) {
			assertThat(Files.getPosixFilePermissions(password)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
			assertThat(query(superuser, "show unix_socket_directories")).isEmpty();
			assertThat(query(superuser,
					"select string_agg(distinct auth_method, ',') from pg_hba_file_rules where error is null"))
				.isEqualTo("scram-sha-256");
		}
	}

	@Test
	void namesThePortThatIsTaken() {
		int taken = Integer.parseInt(DevServices.shared().kafka().bootstrapServers().replaceFirst(".*:", ""));
		try (DevServices services = DevServices.start(Infrastructure.EMBEDDED, List.of(0), taken)) {

			assertThatExceptionOfType(StartFailedException.class).isThrownBy(services::postgres)
				.withMessageContaining("postgres: port %s is taken".formatted(taken));
		}
	}

	private static Connection login(PostgresService postgres, String user, String password) throws SQLException {
		Properties login = new Properties();
		login.put("user", user);
		login.put("password", password);
		return DriverManager.getConnection(postgres.jdbcUrl(), login);
	}

	private static String query(PostgresService postgres, String sql) throws SQLException {
		try (Connection connection = login(postgres, postgres.username(), postgres.password())) {
			return query(connection, sql);
		}
	}

	static String query(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			for (boolean rows = statement.execute(sql); !rows; rows = statement.getMoreResults()) {
				// Skips to the statement that has a result.
			}
			try (ResultSet result = statement.getResultSet()) {
				result.next();
				return result.getString(1);
			}
		}
	}

}
