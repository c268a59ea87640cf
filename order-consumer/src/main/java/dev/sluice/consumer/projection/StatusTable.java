package dev.sluice.consumer.projection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;

/** The table {@code order_status}: one statement merges any number of rows into it. */
final class StatusTable {

	/** {@link StatusRow#merge} in SQL. */
	private static final String MERGE = """
			INSERT INTO order_status AS known
			    (order_id, customer_id, status, attempts, accepted_at, acceptance, updated_at, outcome_offset, reason,
			     payload, fingerprint)
			SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::integer[], ?::timestamptz[], ?::timestamptz[],
			                     ?::timestamptz[], ?::bigint[], ?::text[], ?::text[], ?::bytea[])
			ON CONFLICT (order_id) DO UPDATE SET
			    accepted_at = LEAST(known.accepted_at, EXCLUDED.accepted_at),
			    fingerprint = COALESCE(known.fingerprint, EXCLUDED.fingerprint),
			    (customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload) = (
			        SELECT customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload
			        FROM (VALUES
			            (known.customer_id, known.status, known.attempts, COALESCE(known.acceptance, known.updated_at),
			             known.updated_at, known.outcome_offset, known.reason, known.payload),
			            (EXCLUDED.customer_id, EXCLUDED.status, EXCLUDED.attempts, EXCLUDED.acceptance,
			             EXCLUDED.updated_at, EXCLUDED.outcome_offset, EXCLUDED.reason, EXCLUDED.payload)
			        ) AS said (customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload)
			        ORDER BY status = 'saved' DESC, CASE WHEN status = 'saved' THEN updated_at END, acceptance DESC,
			            array_position(ARRAY['accepted', 'retrying', 'failed', 'saved'], status) DESC,
			            outcome_offset DESC
			        LIMIT 1)
			WHERE known.fingerprint = EXCLUDED.fingerprint OR known.fingerprint IS NULL OR EXCLUDED.fingerprint IS NULL
			    OR EXCLUDED.outcome_offset >= 0
			""";

	private final JdbcOperations jdbc;

	StatusTable(JdbcOperations jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * @param rows of different orders
	 * @throws org.springframework.dao.DataAccessException if the statement failed; then
	 * no row is merged, or all are
	 */
	void merge(Collection<StatusRow> rows) {
		// Every instance uses the same order of rows, so two instances cannot deadlock.
		List<StatusRow> sorted = rows.stream().sorted(Comparator.comparing(StatusRow::id)).toList();
		this.jdbc.update((connection) -> prepare(connection, sorted));
	}

	private static PreparedStatement prepare(Connection connection, List<StatusRow> rows) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(MERGE);
		column(statement, 1, "uuid", rows, StatusRow::id);
		column(statement, 2, "text", rows, StatusRow::customerId);
		column(statement, 3, "text", rows, (row) -> row.status().name().toLowerCase(Locale.ROOT));
		column(statement, 4, "integer", rows, StatusRow::attempts);
		column(statement, 5, "timestamptz", rows,
				(row) -> (row.acceptedAt() != null) ? row.acceptedAt().toString() : null);
		column(statement, 6, "timestamptz", rows, (row) -> row.acceptance().toString());
		column(statement, 7, "timestamptz", rows, (row) -> row.updatedAt().toString());
		column(statement, 8, "bigint", rows, StatusRow::outcomeOffset);
		column(statement, 9, "text", rows, StatusRow::reason);
		column(statement, 10, "text", rows, StatusRow::payload);
		column(statement, 11, "bytea", rows,
				(row) -> (row.fingerprint() != null) ? "\\x" + row.fingerprint().hex() : null);
		return statement;
	}

	private static void column(PreparedStatement statement, int index, String type, List<StatusRow> rows,
			Function<StatusRow, @Nullable Object> value) throws SQLException {
		@Nullable Object[] values = new @Nullable Object[rows.size()];
		for (int i = 0; i < values.length; i++) {
			values[i] = value.apply(rows.get(i));
		}
		statement.setArray(index, statement.getConnection().createArrayOf(type, values));
	}

}
