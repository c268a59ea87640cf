package dev.sluice.consumer.projection;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.Queue;
import java.time.InstantSource;
import java.time.Duration;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCreator;
import org.springframework.kafka.core.ConsumerFactory;
import dev.sluice.topics.TopicWatch;
import dev.sluice.threads.Supervisor;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.consumer.ConsumerTest;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessResourceFailureException;
import tools.jackson.databind.json.JsonMapper;

import static dev.sluice.consumer.ConsumerHarness.count;
import static dev.sluice.consumer.ConsumerHarness.database;
import static dev.sluice.consumer.ConsumerHarness.eventually;
import static dev.sluice.consumer.ConsumerHarness.lost;
import static dev.sluice.consumer.ConsumerHarness.projecting;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The projection in a running consumer, from both topics, with PostgreSQL available or
 * not.
 */
@ExtendWith(OutputCaptureExtension.class)
class ProjectionLifecycleIT extends ConsumerTest {

	@BeforeEach
	void reset() throws Exception {
		harness.reset(3);
		ConsumerHarness.emptyDatabase();
	}

	@Test
	void skipsWhatSaysNothing() throws Exception {
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), "no outcome".getBytes());
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), null);
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), "{\"status\":\"saved\"}".getBytes());
		harness.publish(new OrderOutcome(UUID.randomUUID(), "c-1", OrderStatus.FAILED, 2,
				java.time.Instant.parse("2026-11-21T10:00:00Z"), null, "bad\0byte", "{}"));

		harness.startConsumer(projecting());

		eventually().until(() -> count("status = 'failed' AND reason = 'badbyte' AND payload = '{}'"),
				(failed) -> failed == 1);
	}

	@Test
	void deliversWithoutPostgresAndCatchesUp() throws Exception {
		ConfigurableApplicationContext consumer = withoutPostgres(() -> {
			harness.enqueue(50);
			ConfigurableApplicationContext started = harness.startConsumer(projecting());
			eventually().until(harness::saved, (saved) -> saved == 50);
			assertThat(started.getBean(Projection.class).state()).isEqualTo(Projection.State.WAITING);
			return started;
		});
		eventually().until(
				() -> count(
						"status = 'saved' AND accepted_at IS NOT NULL AND attempts = 1 AND length(fingerprint) = 32"),
				(saved) -> saved == 50);

		withoutPostgres(() -> {
			harness.enqueue(50);
			eventually().until(harness::saved, (saved) -> saved == 100);
			eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.FAILING);
			return null;
		});
		eventually().until(() -> count("status = 'saved' AND accepted_at IS NOT NULL"), (saved) -> saved == 100);
		eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.WORKING);
	}

	@Test
	void tellsOfOrdersThatExpireWhileItIsBehind() throws Exception {
		ConfigurableApplicationContext consumer = harness.startConsumer(projecting());
		harness.enqueue(10);
		eventually().until(() -> count("status = 'saved' AND fingerprint IS NOT NULL"), (saved) -> saved == 10);

		withoutPostgres(() -> {
			harness.enqueue(20);
			eventually().until(harness::saved, (saved) -> saved == 30);
			eventually().until(() -> harness.lag() == 0);
			eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.FAILING);
			harness.expireOrders();
			eventually().until(() -> lost(consumer), (lost) -> lost == 20);
			return null;
		});

		eventually().until(() -> harness.projectionLag() == 0);
		assertThat(count("status = 'saved'")).isEqualTo(30);
		assertThat(count("fingerprint IS NULL")).isEqualTo(20);
	}

	/** A bug in the migration, one in a batch, and an Error. Before, PostgreSQL fails. */
	@Test
	void goesOnAfterAnyException(CapturedOutput output) throws Exception {
		ConfigurableApplicationContext consumer = harness.startApplication();
		Queue<Throwable> ofMigration = new ConcurrentLinkedQueue<>(
				List.of(failure("57P03", "starting up"), failure("57P03", "starting up"),
						failure("42501", "permission denied"), new IllegalStateException("migration")));
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>(
				List.of(new IllegalStateException("batch"), new StackOverflowError()));
		JdbcTemplate jdbc = new JdbcTemplate(database()) {

			@Override
			public <T> T queryForObject(String sql, Class<T> type) {
				fail(ofMigration);
				return super.queryForObject(sql, type);
			}

			@Override
			public int update(PreparedStatementCreator statement) {
				fail(failures);
				return super.update(statement);
			}

		};
		MeterRegistry registry = new SimpleMeterRegistry();
		Queue<String> failed = new ConcurrentLinkedQueue<>();
		Supervisor supervisor = new Supervisor(failed::add);
		Projection projection = new Projection(
				new ProjectionProperties(true, "order-status-" + UUID.randomUUID(), 10, Duration.ZERO),
				consumer.getBean(TopicWatch.class), new LostRecords(registry),
				new StatusReader(JsonMapper.builder().build()), new StatusTable(jdbc, registry), consumers(consumer),
				registry, InstantSource.system(), supervisor);
		projection.start();
		try {
			String ids = harness.enqueue(5).stream().map((id) -> "'" + id + "'").collect(Collectors.joining(", "));
			eventually().until(() -> count("status = 'saved' AND order_id IN (" + ids + ")"), (saved) -> saved == 5);
			assertThat(failures).isEmpty();
			assertThat(failed).hasSize(3);
			assertThat(output.getAll()).containsOnlyOnce("SQLException: starting up")
				.containsOnlyOnce("SQLException: permission denied");
			eventually().until(() -> supervisor.health().getDetails().isEmpty());
			assertThat(projection.state()).isEqualTo(Projection.State.WORKING);
		}
		finally {
			projection.stop();
		}
	}

	/**
	 * Otherwise each attempt would cost PostgreSQL a connection until the lock is gone.
	 */
	@Test
	void leavesNoStatementBehindThatWaitsForALock() throws Exception {
		ConfigurableApplicationContext consumer = harness.startConsumer(projecting());
		harness.enqueue(1);
		eventually().until(() -> count("status = 'saved'"), (saved) -> saved == 1);
		try (Connection locking = database().getConnection(); Connection watching = database().getConnection()) {
			locking.setAutoCommit(false);
			locking.createStatement().execute("LOCK TABLE order_status IN ACCESS EXCLUSIVE MODE");
			harness.enqueue(1);
			eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.FAILING);

			eventually().until(() -> {
				try (ResultSet waiting = watching.createStatement()
					.executeQuery("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) {
					return !waiting.next();
				}
			});
		}

		eventually().until(() -> count("status = 'saved'"), (saved) -> saved == 2);
	}

	/** An empty one would say that nobody was given the ids of orders before. */
	@Test
	void saysWhatToDoWhenItsTableWasDroppedAndMakesNoOther(CapturedOutput output) throws Exception {
		ConfigurableApplicationContext consumer = harness.startApplication(projecting());
		eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.WORKING);
		try (Connection dropping = database().getConnection(); Statement statement = dropping.createStatement()) {
			statement.execute("DROP TABLE order_status");

			harness.enqueue(1);

			eventually().until(() -> output.getAll().contains("'Rebuilding the status' in docs/operations.md"));
			try (ResultSet table = statement.executeQuery("SELECT to_regclass('order_status')")) {
				assertThat(table.next()).isTrue();
				assertThat(table.getString(1)).isNull();
			}
			assertThat(harness.health(consumer)).contains("\"cause\":\"", "order_status");
		}
	}

	private static Exception failure(String state, String reason) {
		return new DataAccessResourceFailureException("down", new SQLException(reason, state));
	}

	/** The projection passes its rows as arrays. */
	@Test
	void writesNoTextNullWhereTheDatabaseWouldReadOne() throws Exception {
		try (Connection connection = database().getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("ALTER ROLE CURRENT_USER SET array_nulls = off");
			try {
				harness.startConsumer(projecting());
				harness.enqueue(5);
				eventually().until(() -> count("status = 'saved'"), (saved) -> saved == 5);
			}
			finally {
				statement.execute("ALTER ROLE CURRENT_USER RESET array_nulls");
			}
		}

		assertThat(count("reason IS NULL AND payload IS NULL AND conflict IS NULL")).isEqualTo(5);
	}

	/** The connections stay open: behind them is what was the primary server. */
	@Test
	void leavesConnectionsThatHaveBecomeReadOnly() throws Exception {
		ConfigurableApplicationContext consumer = harness.startConsumer(projecting());
		DataSource pool = consumer.getBean(DataSource.class);
		try (Connection one = pool.getConnection(); Connection other = pool.getConnection()) {
			for (Connection connection : List.of(one, other)) {
				connection.createStatement().execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
			}
		}

		harness.enqueue(5);

		eventually().until(() -> count("status = 'saved'"), (saved) -> saved == 5);
	}

	@SuppressWarnings("unchecked")
	private static ConsumerFactory<byte[], byte[]> consumers(ConfigurableApplicationContext consumer) {
		return consumer.getBean(ConsumerFactory.class);
	}

	private static void fail(Queue<Throwable> failures) {
		switch (failures.poll()) {
			case RuntimeException ex -> throw ex;
			case Error ex -> throw ex;
			case null, default -> {
			}
		}
	}

	@Test
	void projectsWithoutDelivering() throws Exception {
		harness.enqueue(20);

		ConfigurableApplicationContext consumer = harness.startApplication(projecting("delivery.enabled=false"));

		eventually().until(() -> count("status = 'accepted'"), (accepted) -> accepted == 20);
		assertThat(harness.audit().received()).isZero();
		assertThat(harness.health(consumer)).contains("\"delivery\":{\"details\":{\"state\":\"off\"}",
				"\"projection\":{\"details\":{\"state\":\"WORKING\"");
	}

	@Test
	void deliversWithoutProjecting() throws Exception {
		harness.enqueue(20);

		ConfigurableApplicationContext consumer = harness.startApplication();

		eventually().until(harness::saved, (saved) -> saved == 20);
		assertThat(harness.health(consumer)).contains("\"projection\":{\"details\":{\"state\":\"off\"}",
				"\"state\":\"consuming\"");
	}

	/** Gateways compare its commits with the topics' ends. */
	@Test
	void commitsUpToTheEndOfEveryPartitionAlsoWhereNothingIs() throws Exception {
		String group = "order-status-" + UUID.randomUUID();

		harness.startConsumer(projecting("projection.group-id=" + group));

		eventually().until(() -> harness.projectionLag(group) == 0);
	}

	private static <T> T withoutPostgres(Callable<T> steps) throws Exception {
		Breakable postgres = DevServices.shared().postgres().server();
		postgres.kill();
		try {
			return steps.call();
		}
		finally {
			postgres.start();
		}
	}

}
