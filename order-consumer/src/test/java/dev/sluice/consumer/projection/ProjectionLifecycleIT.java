package dev.sluice.consumer.projection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.PostgresService;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The projection in a running consumer, from both topics, with PostgreSQL there or not.
 */
class ProjectionLifecycleIT {

	private static ConsumerHarness harness;

	private static PostgresService postgres;

	@BeforeAll
	static void start() {
		harness = new ConsumerHarness();
		postgres = DevServices.shared().postgres();
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@BeforeEach
	void reset() throws Exception {
		harness.reset(3);
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
		}
	}

	@Test
	void tellsTheStatusOfEachOrder() throws Exception {
		harness.enqueue(100);

		harness.startConsumer(projecting(postgres.port()));

		eventually().until(
				() -> count(
						"status = 'saved' AND accepted_at IS NOT NULL AND attempts = 1 AND length(fingerprint) = 32"),
				(saved) -> saved == 100);
	}

	@Test
	void skipsWhatSaysNothing() throws Exception {
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), "no outcome".getBytes());
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), null);
		harness.publish(Topics.ORDER_OUTCOMES, "x".getBytes(), "{\"status\":\"saved\"}".getBytes());
		harness.publish(new OrderOutcome(UUID.randomUUID(), "c-1", OrderStatus.FAILED, 2,
				java.time.Instant.parse("2026-11-21T10:00:00Z"), "bad\0byte", "{}"));

		harness.startConsumer(projecting(postgres.port()));

		eventually().until(() -> count("status = 'failed' AND reason = 'badbyte' AND payload = '{}'"),
				(failed) -> failed == 1);
	}

	@Test
	void deliversWithoutPostgresAndCatchesUp() throws Exception {
		try (Gateway way = new Gateway(postgres.port())) {
			harness.enqueue(50);
			ConfigurableApplicationContext consumer = harness.startConsumer(projecting(way.port()));
			eventually().until(harness::saved, (saved) -> saved == 50);
			assertThat(consumer.getBean(Projection.class).state()).isEqualTo(Projection.State.WAITING);

			way.open();
			eventually().until(() -> count("status = 'saved'"), (saved) -> saved == 50);

			way.shut();
			harness.enqueue(50);
			eventually().until(harness::saved, (saved) -> saved == 100);
			eventually().until(() -> consumer.getBean(Projection.class).state() == Projection.State.FAILING);

			way.open();
			eventually().until(() -> count("status = 'saved' AND accepted_at IS NOT NULL"), (saved) -> saved == 100);
			assertThat(consumer.getBean(Projection.class).state()).isEqualTo(Projection.State.WORKING);
		}
	}

	private static String[] projecting(int port) {
		return new String[] { "projection.enabled=true",
				"spring.datasource.url=jdbc:postgresql://127.0.0.1:" + port + "/" + postgres.database(),
				"spring.datasource.username=" + postgres.username(),
				"spring.datasource.password=" + postgres.password() };
	}

	private static long count(String where) throws SQLException {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			try (ResultSet there = statement.executeQuery("SELECT to_regclass('order_status') IS NOT NULL")) {
				there.next();
				if (!there.getBoolean(1)) {
					return 0;
				}
			}
			try (ResultSet count = statement.executeQuery("SELECT count(*) FROM order_status WHERE " + where)) {
				count.next();
				return count.getLong(1);
			}
		}
	}

	private static Connection connect() throws SQLException {
		return DriverManager.getConnection(postgres.jdbcUrl(), postgres.username(), postgres.password());
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100));
	}

	/**
	 * A way to PostgreSQL that can be shut: then connections are cut and new ones too.
	 */
	private static final class Gateway implements AutoCloseable {

		private final ServerSocket server;

		private final int target;

		private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

		private volatile boolean open;

		Gateway(int target) throws IOException {
			this.target = target;
			this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			Thread.ofVirtual().start(this::accept);
		}

		int port() {
			return this.server.getLocalPort();
		}

		void open() {
			this.open = true;
		}

		void shut() {
			this.open = false;
			this.sockets.forEach(Gateway::cut);
			this.sockets.clear();
		}

		private void accept() {
			while (!this.server.isClosed()) {
				try {
					Socket client = this.server.accept();
					if (!this.open) {
						client.close();
						continue;
					}
					Socket database = new Socket(InetAddress.getLoopbackAddress(), this.target);
					this.sockets.add(client);
					this.sockets.add(database);
					Thread.ofVirtual().start(() -> pump(client, database));
					Thread.ofVirtual().start(() -> pump(database, client));
				}
				catch (IOException ex) {
					// Closed: the loop ends. Or the client has gone: the next one may
					// come.
				}
			}
		}

		private static void pump(Socket from, Socket to) {
			try (from; to) {
				from.getInputStream().transferTo(to.getOutputStream());
			}
			catch (IOException ex) {
				// Cut.
			}
		}

		private static void cut(Socket socket) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public void close() throws IOException {
			shut();
			this.server.close();
		}

	}

}
