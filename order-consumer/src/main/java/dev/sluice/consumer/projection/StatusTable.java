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

	/** The orders of {@link StatusRow}'s comparators, in SQL. */
	private static final String MERGE = """
			INSERT INTO order_status AS known
			    (order_id, customer_id, status, attempts, accepted_at, updated_at, reason, payload, fingerprint)
			SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::integer[],
			                     ?::timestamptz[], ?::timestamptz[], ?::text[], ?::text[], ?::bytea[])
			ON CONFLICT (order_id) DO UPDATE SET
			    accepted_at = LEAST(known.accepted_at, EXCLUDED.accepted_at),
			    fingerprint = CASE
			        WHEN known.accepted_at = EXCLUDED.accepted_at THEN LEAST(known.fingerprint, EXCLUDED.fingerprint)
			        WHEN COALESCE(known.accepted_at < EXCLUDED.accepted_at, EXCLUDED.accepted_at IS NULL)
			            THEN known.fingerprint
			        ELSE EXCLUDED.fingerprint END,
			    (customer_id, status, attempts, updated_at, reason, payload) = (
			        SELECT customer_id, status, attempts, updated_at, reason, payload
			        FROM (VALUES
			            (known.customer_id, known.status, known.attempts, known.updated_at, known.reason,
			             known.payload),
			            (EXCLUDED.customer_id, EXCLUDED.status, EXCLUDED.attempts, EXCLUDED.updated_at, EXCLUDED.reason,
			             EXCLUDED.payload)
			        ) AS said (customer_id, status, attempts, updated_at, reason, payload)
			        ORDER BY status = 'saved' DESC, updated_at DESC,
			            array_position(ARRAY['accepted', 'retrying', 'failed', 'saved'], status) DESC, attempts DESC
			        LIMIT 1)
			""";

	private final JdbcOperations jdbc;

	StatusTable(JdbcOperations jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * @param rows of different orders
	 * @throws org.springframework.dao.DataAccessException if it failed; then nothing has
	 * been merged, or all
	 */
	void merge(Collection<StatusRow> rows) {
		// In one order everywhere, so that two instances cannot lock each other out.
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
		column(statement, 6, "timestamptz", rows, (row) -> row.updatedAt().toString());
		column(statement, 7, "text", rows, StatusRow::reason);
		column(statement, 8, "text", rows, StatusRow::payload);
		column(statement, 9, "bytea", rows,
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
