package dev.sluice.consumer.projection;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.PostgresService;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The merge, in a real PostgreSQL. */
@Tag("embedded")
class ProjectionIT {

	private static final Instant T0 = Events.T0;

	private static final Fingerprint ONE = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private static HikariDataSource database;

	private static JdbcTemplate jdbc;

	private static final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private static StatusTable table;

	@BeforeAll
	static void migrate() {
		PostgresService postgres = DevServices.shared().postgres();
		database = new HikariDataSource();
		database.setJdbcUrl(postgres.jdbcUrl());
		database.setUsername(postgres.username());
		database.setPassword(postgres.password());
		jdbc = new JdbcTemplate(database);
		table = new StatusTable(jdbc, meters);
		table.migrate();
	}

	@AfterAll
	static void close() {
		if (database != null) {
			database.close();
		}
	}

	@BeforeEach
	void empty() {
		jdbc.update("TRUNCATE order_status");
	}

	/** Projects through the reader and the table, as the projection does. */
	@ParameterizedTest
	@MethodSource("seeds")
	void anyOrderRepetitionAndDivisionGivesTheSameRows(long seed) {
		Random random = new Random(seed);
		for (int i = 0; i < 10; i++) {
			List<Events> orders = List.of(new Events(random, UUID.randomUUID()), new Events(random, UUID.randomUUID()),
					new Events(random, UUID.randomUUID()));
			List<StatusRow> expected = orders.stream().map(Events::expected).toList();

			project(random, orders.stream().map((order) -> order.read(order.repeated())).toList());
			assertThat(rows()).containsExactlyInAnyOrderElementsOf(expected);
			// Reads all events again into the existing rows.
			project(random, orders.stream().map((order) -> order.read(order.repeated())).toList());
			assertThat(rows()).containsExactlyInAnyOrderElementsOf(expected);
			// Reads what compaction left into an empty table.
			empty();
			project(random, orders.stream().map((order) -> order.read(order.compacted())).toList());
			assertThat(rows()).containsExactlyInAnyOrderElementsOf(expected);
			empty();
		}
	}

	private static LongStream seeds() {
		return LongStream.rangeClosed(1, Boolean.getBoolean("sluice.full") ? 5 : 2);
	}

	@Test
	void mergesAThousandRowsAtOnce() {
		List<StatusRow> rows = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			rows.add(new StatusRow(UUID.randomUUID(), "c-" + i, OrderStatus.ACCEPTED, 0, T0, T0, T0, -1, null, null,
					ONE, null));
		}

		table.merge(rows);

		assertThat(rows()).containsExactlyInAnyOrderElementsOf(rows);
	}

	@Test
	void keepsTextAsItIs() {
		StatusRow row = new StatusRow(UUID.randomUUID(), "c-1", OrderStatus.FAILED, 1, null, T0, T0, 3,
				"a \"quoted\", {braced} \\ and NULL reason: ü€😀", "{\"note\":\"\\\\ ü€😀\"}", null, null);

		table.merge(List.of(row));

		assertThat(rows()).containsExactly(row);
	}

	@Test
	void skipsOnlyTheRowsThatPostgresRefuses() {
		jdbc.execute("ALTER TABLE order_status ADD CONSTRAINT attempts_are_few CHECK (attempts < 9)");
		List<StatusRow> rows = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			rows.add(new StatusRow(UUID.randomUUID(), "c-" + i, OrderStatus.FAILED, i % 10, T0, T0, T0, i, "because",
					null, ONE, null));
		}

		try {
			table.merge(rows);
		}
		finally {
			jdbc.execute("ALTER TABLE order_status DROP CONSTRAINT attempts_are_few");
		}

		assertThat(rows())
			.containsExactlyInAnyOrderElementsOf(rows.stream().filter((row) -> row.attempts() < 9).toList());
		assertThat(meters.get("sluice.projection.refused").counter().count()).isEqualTo(10);
	}

	@Test
	void refusesADatabaseThatCannotStoreEveryText() {
		JdbcTemplate latin = new JdbcTemplate(database) {

			@Override
			public <T> T queryForObject(String sql, Class<T> type) {
				assertThat(super.queryForObject(sql, type)).isEqualTo("UTF8");
				return type.cast("LATIN1");
			}

		};

		assertThatExceptionOfType(FlywayException.class).isThrownBy(() -> new StatusTable(latin, meters).migrate())
			.withMessageContaining("LATIN1")
			.withMessageContaining("ENCODING 'UTF8'");
	}

	@Test
	void rowsFromBeforeTheMigrationMergeByTheirTime() {
		UUID failed = UUID.randomUUID();
		jdbc.update("""
				INSERT INTO order_status (order_id, customer_id, status, attempts, accepted_at, updated_at, reason,
				    fingerprint)
				VALUES (?, 'c-1', 'failed', 8, '2026-11-21T10:00:00Z', '2026-11-21T10:00:09Z', 'because', ?)
				""", failed, HexFormat.of().parseHex(ONE.hex()));

		// Read again.
		table.merge(List.of(StatusRow.of(new OrderEvent(failed, "c-1", T0), ONE)));
		assertThat(rows()).extracting(StatusRow::status).containsExactly(OrderStatus.FAILED);
		// Sent again.
		table.merge(List.of(StatusRow.of(new OrderEvent(failed, "c-1", T0.plusSeconds(60)), ONE)));
		assertThat(rows()).extracting(StatusRow::status).containsExactly(OrderStatus.ACCEPTED);
	}

	/**
	 * Mixes the orders and divides them into batches. The events of one order keep their
	 * sequence.
	 */
	private static void project(Random random, List<List<StatusRow>> orders) {
		List<Iterator<StatusRow>> left = new ArrayList<>();
		orders.forEach((order) -> left.add(order.iterator()));
		List<StatusRow> batch = new ArrayList<>();
		while (!left.isEmpty()) {
			Iterator<StatusRow> next = left.get(random.nextInt(left.size()));
			if (next.hasNext()) {
				batch.add(next.next());
			}
			else {
				left.remove(next);
			}
			if (random.nextInt(8) == 0 || left.isEmpty()) {
				StatusReader.layers(batch).forEach(table::merge);
				batch.clear();
			}
		}
	}

	private static List<StatusRow> rows() {
		return jdbc.query("SELECT * FROM order_status", (row, index) -> {
			java.sql.Timestamp accepted = row.getTimestamp("accepted_at");
			return new StatusRow(row.getObject("order_id", UUID.class), row.getString("customer_id"),
					OrderStatus.valueOf(row.getString("status").toUpperCase(java.util.Locale.ROOT)),
					row.getInt("attempts"), (accepted != null) ? accepted.toInstant() : null,
					row.getTimestamp("acceptance").toInstant(), row.getTimestamp("updated_at").toInstant(),
					row.getLong("outcome_offset"), row.getString("reason"), row.getString("payload"),
					fingerprint(row.getBytes("fingerprint")), fingerprint(row.getBytes("conflict")));
		});
	}

	private static @Nullable Fingerprint fingerprint(byte @Nullable [] sha256) {
		return (sha256 != null) ? new Fingerprint(HexFormat.of().formatHex(sha256)) : null;
	}

}
