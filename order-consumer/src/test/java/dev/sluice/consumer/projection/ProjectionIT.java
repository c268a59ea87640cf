package dev.sluice.consumer.projection;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.PostgresService;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** The merge in a real PostgreSQL: it must agree with the one in Java. */
class ProjectionIT {

	private static final Instant T0 = Instant.parse("2026-11-21T10:00:00Z");

	private static final Fingerprint ONE = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private static final Fingerprint OTHER = Fingerprint.ofJson("[]".getBytes(StandardCharsets.UTF_8));

	private static HikariDataSource database;

	private static JdbcTemplate jdbc;

	private static StatusTable table;

	@BeforeAll
	static void migrate() {
		PostgresService postgres = DevServices.shared().postgres();
		database = new HikariDataSource();
		database.setJdbcUrl(postgres.jdbcUrl());
		database.setUsername(postgres.username());
		database.setPassword(postgres.password());
		Flyway.configure().dataSource(database).load().migrate();
		jdbc = new JdbcTemplate(database);
		table = new StatusTable(jdbc);
	}

	@AfterAll
	static void close() {
		database.close();
	}

	@BeforeEach
	void empty() {
		jdbc.update("TRUNCATE order_status");
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void anyOrderRepetitionAndDivisionGivesTheSameRows(long seed) {
		Random random = new Random(seed);
		List<UUID> ids = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
		List<StatusRow> events = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			events.add(event(random, ids.get(random.nextInt(ids.size()))));
		}
		Map<UUID, StatusRow> expected = fold(events);

		for (int round = 0; round < 10; round++) {
			Collections.shuffle(events, random);
			for (int from = 0; from < events.size();) {
				int to = Math.min(events.size(), from + 1 + random.nextInt(20));
				table.merge(fold(events.subList(from, to)).values());
				from = to;
			}
			assertThat(rows()).containsExactlyInAnyOrderElementsOf(expected.values());
		}
	}

	@Test
	void mergesAThousandRowsAtOnce() {
		List<StatusRow> rows = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			rows.add(new StatusRow(UUID.randomUUID(), "c-" + i, OrderStatus.ACCEPTED, 0, T0, T0, null, null, ONE));
		}

		table.merge(rows);

		assertThat(rows()).containsExactlyInAnyOrderElementsOf(rows);
	}

	@Test
	void keepsTextAsItIs() {
		StatusRow row = new StatusRow(UUID.randomUUID(), "c-1", OrderStatus.FAILED, 1, null, T0,
				"a \"quoted\", {braced} \\ and NULL reason: ü€😀", "{\"note\":\"\\\\ ü€😀\"}", null);

		table.merge(List.of(row));

		assertThat(rows()).containsExactly(row);
	}

	private static StatusRow event(Random random, UUID id) {
		Instant at = T0.plus(Duration.ofNanos(1_000L * random.nextInt(12)));
		return switch (OrderStatus.values()[random.nextInt(4)]) {
			case ACCEPTED -> new StatusRow(id, "c-1", OrderStatus.ACCEPTED, 0, at, at, null, null, fingerprint(random));
			case RETRYING ->
				new StatusRow(id, "c-1", OrderStatus.RETRYING, random.nextInt(9), null, at, "busy", null, null);
			case SAVED -> new StatusRow(id, "c-1", OrderStatus.SAVED, random.nextInt(9), null, at, null, null, null);
			case FAILED ->
				new StatusRow(id, "c-1", OrderStatus.FAILED, random.nextInt(9), null, at, "refused", "{}", null);
		};
	}

	private static @Nullable Fingerprint fingerprint(Random random) {
		return Arrays.asList(ONE, OTHER, null).get(random.nextInt(3));
	}

	private static Map<UUID, StatusRow> fold(List<StatusRow> events) {
		Map<UUID, StatusRow> rows = new java.util.HashMap<>();
		events.forEach((event) -> rows.merge(event.id(), event, StatusRow::merge));
		return rows;
	}

	private static List<StatusRow> rows() {
		return jdbc.query("SELECT * FROM order_status", (row, index) -> {
			byte[] fingerprint = row.getBytes("fingerprint");
			java.sql.Timestamp accepted = row.getTimestamp("accepted_at");
			return new StatusRow(row.getObject("order_id", UUID.class), row.getString("customer_id"),
					OrderStatus.valueOf(row.getString("status").toUpperCase(java.util.Locale.ROOT)),
					row.getInt("attempts"), (accepted != null) ? accepted.toInstant() : null,
					row.getTimestamp("updated_at").toInstant(), row.getString("reason"), row.getString("payload"),
					(fingerprint != null) ? Fingerprint.ofBytes(fingerprint) : null);
		});
	}

}
