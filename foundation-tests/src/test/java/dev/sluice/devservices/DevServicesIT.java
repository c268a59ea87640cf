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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("embedded")
@ResourceLock(value = SharedKafka.LOCK, mode = ResourceAccessMode.READ)
class DevServicesIT {

	private static final Duration TIMEOUT = Patience.ofSeconds(60);

	@Test
	void kafkaKeepsWhatWasSent() throws Exception {
		KafkaService kafka = DevServices.shared().kafka();

		String topic = "topic-" + UUID.randomUUID();
		send(kafka, topic);

		assertThat(receive(kafka, topic)).isEqualTo("value of " + topic);
	}

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
	void tellsTheProcessOfAContainerByItsPort() {
		DevServices services = DevServices.shared();
		assumeTrue(services.infrastructure() == Infrastructure.CONTAINERS, "needs containers");
		String address = services.kafka().bootstrapServers();

		assertThat(ContainerProcesses.publishing(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1))))
			.hasValueSatisfying((pid) -> assertThat(ProcessHandle.of(pid)).isPresent());
		assertThat(ContainerProcesses.publishing(Ports.free())).isEmpty();
	}

	@Test
	void embeddedServersKeepTheirDataInANamedDirectoryClosedToOtherUsers(@TempDir Path directory) throws Exception {
		DevServices.Builder builder = DevServices.builder()
			.infrastructure(Infrastructure.EMBEDDED)
			.directory(directory);
		try (DevServices services = builder.start()) {
			send(services.kafka(), "kept");
			query(services.postgres(), "create table kept as select 11 as c; select 1");

			assertThat(List.of("kafka", "postgres")).allSatisfy((server) -> assertThat(
					PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(server))))
				.isEqualTo("rwx------"));
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path
				.of(System.getProperty("java.io.tmpdir"), "sluice-postgres-" + System.getProperty("user.name")))))
				.isEqualTo("rwx------");
			takesNoLoginWithoutThePassword(services.postgres(), directory.resolve("postgres.password"));
		}

		try (DevServices services = builder.start()) {
			assertThat(receive(services.kafka(), "kept")).isEqualTo("value of kept");
			assertThat(query(services.postgres(), "select c from kept")).isEqualTo("11");
			if (Files.exists(Path.of("/proc/self/cmdline"))) {
				assertThat(processesIn(directory)).hasSizeGreaterThan(2);
			}
		}
		await().until(() -> processesIn(directory).isEmpty());
	}

	/** The child JVMs, and PostgreSQL, which is no child. */
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
		PostgresService taken = DevServices.shared().postgres();
		try (DevServices services = DevServices.builder()
			.infrastructure(Infrastructure.EMBEDDED)
			.postgresPort(taken.port())
			.start()) {

			assertThatExceptionOfType(StartFailedException.class).isThrownBy(services::postgres)
				.withMessageContaining("postgres: port %s is taken".formatted(taken.port()));
		}
	}

	/** Starts a Kafka and a PostgreSQL for it. */
	@Test
	@Tag("full")
	void frozenServersAreGoneAfterClose() {
		int kafkaPort;
		int postgresPort;
		try (DevServices closed = DevServices.start(Infrastructure.fromEnvironment())) {
			kafkaPort = Integer.parseInt(closed.kafka().bootstrapServers().replaceFirst(".*:", ""));
			postgresPort = closed.postgres().port();
			closed.kafka().freeze();
			closed.postgres().freeze();
		}

		await().until(() -> Ports.isFree(kafkaPort) && Ports.isFree(postgresPort));
	}

	private static void send(KafkaService kafka, String topic) throws Exception {
		Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
		try (Admin admin = Admin.create(config)) {
			admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
				.all()
				.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(config, new StringSerializer(),
				new StringSerializer())) {
			producer.send(new ProducerRecord<>(topic, "key", "value of " + topic))
				.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
	}

	private static String receive(KafkaService kafka, String topic) {
		Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", topic,
				"auto.offset.reset", "earliest");
		try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(),
				new StringDeserializer())) {
			consumer.subscribe(List.of(topic));
			ConsumerRecord<String, String> received = await()
				.until(() -> consumer.poll(Duration.ofMillis(200)), (records) -> !records.isEmpty())
				.iterator()
				.next();
			return received.value();
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

	private static String query(Connection connection, String sql) throws SQLException {
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
