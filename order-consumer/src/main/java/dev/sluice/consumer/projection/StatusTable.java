package dev.sluice.consumer.projection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.contract.Fingerprint;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table {@code order_status}: one statement merges rows of any number of orders into
 * it.
 * <p>
 * {@code saved} wins: the backend has the order, whatever another consumer publishes
 * later. The earlier of two saves wins. Otherwise the status of the later acceptance wins
 * (a redelivery is accepted later). Within one acceptance the more advanced status wins,
 * and for the same status the outcome that is later in the topic, which compaction keeps.
 * The clock of a consumer has no influence, so outcomes can be merged in any order and
 * repeatedly.
 * <p>
 * A record with another fingerprint than the row is a conflict and changes nothing: the
 * first record in the topic counts. The records of one order are in one partition and are
 * read in its order, so this is the first record read. An outcome counts before a record
 * with another fingerprint, because it was delivered. A payload that the backend refused
 * for another one is not the order's.
 */
final class StatusTable {

	private static final Logger logger = LoggerFactory.getLogger(StatusTable.class);

	/** SQLSTATE classes of errors that depend on the data: a retry fails again. */
	private static final Set<String> DATA_ERRORS = Set.of("22", "23", "54");

	private static final String MERGE = """
			INSERT INTO order_status AS known
			    (order_id, customer_id, status, attempts, accepted_at, acceptance, updated_at, outcome_offset, reason,
			     payload, fingerprint, conflict)
			SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::integer[], ?::timestamptz[], ?::timestamptz[],
			                     ?::timestamptz[], ?::bigint[], ?::text[], ?::text[], ?::bytea[], ?::bytea[])
			ON CONFLICT (order_id) DO UPDATE SET
			    accepted_at = LEAST(known.accepted_at, EXCLUDED.accepted_at),
			    (customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload, fingerprint,
			     conflict) = (
			        SELECT customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload,
			            COALESCE(NULLIF(fingerprint, refused), NULLIF(known.fingerprint, refused),
			                     NULLIF(EXCLUDED.fingerprint, refused)), refused
			        FROM (VALUES
			            (known.customer_id, known.status, known.attempts, COALESCE(known.acceptance, known.updated_at),
			             known.updated_at, known.outcome_offset, known.reason, known.payload, known.fingerprint),
			            (EXCLUDED.customer_id, EXCLUDED.status, EXCLUDED.attempts, EXCLUDED.acceptance,
			             EXCLUDED.updated_at, EXCLUDED.outcome_offset, EXCLUDED.reason, EXCLUDED.payload,
			             EXCLUDED.fingerprint)
			        ) AS said (customer_id, status, attempts, acceptance, updated_at, outcome_offset, reason, payload,
			                   fingerprint),
			        (VALUES (GREATEST(known.conflict, EXCLUDED.conflict))) AS conflicts (refused)
			        ORDER BY outcome_offset >= 0 AND (known.fingerprint <> EXCLUDED.fingerprint) IS TRUE DESC,
			            status = 'saved' DESC, CASE WHEN status = 'saved' THEN updated_at END, acceptance DESC,
			            array_position(ARRAY['accepted', 'retrying', 'failed', 'saved'], status) DESC,
			            outcome_offset DESC
			        LIMIT 1)
			WHERE known.fingerprint = EXCLUDED.fingerprint OR known.fingerprint IS NULL OR EXCLUDED.fingerprint IS NULL
			    OR EXCLUDED.outcome_offset >= 0
			""";

	private final JdbcTemplate jdbc;

	private final Timer duration;

	private final Counter refused;

	StatusTable(JdbcTemplate jdbc, MeterRegistry registry) {
		this.jdbc = jdbc;
		this.duration = ConsumerMetric.PROJECTION_DURATION.timer(registry);
		this.refused = ConsumerMetric.PROJECTION_REFUSED.counter(registry);
	}

	/**
	 * Creates the table or brings it up to date.
	 * @throws DataAccessException if PostgreSQL does not answer
	 * @throws FlywayException if the migration fails, or the database cannot store every
	 * text
	 */
	void migrate() {
		String encoding = this.jdbc.queryForObject("SHOW server_encoding", String.class);
		if (!"UTF8".equals(encoding)) {
			throw new FlywayException("The database stores text as " + encoding
					+ " and so cannot store every order: create it with ENCODING 'UTF8'");
		}
		Flyway.configure().dataSource(Objects.requireNonNull(this.jdbc.getDataSource())).load().migrate();
	}

	/**
	 * Merges rows by one statement. If PostgreSQL refuses a row for its data, divides
	 * them until only that row is left, and skips it.
	 * @param rows of different orders
	 * @throws DataAccessException if PostgreSQL does not answer; the rows can be merged
	 * again
	 */
	void merge(Collection<StatusRow> rows) {
		// Every instance uses the same order of rows, so two instances cannot deadlock.
		mergeSorted(rows.stream().sorted(Comparator.comparing(StatusRow::id)).toList());
	}

	private void mergeSorted(List<StatusRow> rows) {
		try {
			this.duration.record(() -> this.jdbc.update((connection) -> prepare(connection, rows)));
		}
		catch (DataAccessException ex) {
			if (!isDataError(ex)) {
				throw ex;
			}
			if (rows.size() > 1) {
				int middle = rows.size() / 2;
				mergeSorted(rows.subList(0, middle));
				mergeSorted(rows.subList(middle, rows.size()));
				return;
			}
			this.refused.increment();
			logger.error("PostgreSQL refuses the status of order {}, which stays as it was: {}", rows.getFirst().id(),
					ex.getMostSpecificCause().getMessage());
		}
	}

	private static boolean isDataError(DataAccessException failure) {
		return failure.getMostSpecificCause() instanceof SQLException cause && cause.getSQLState() != null
				&& cause.getSQLState().length() == 5 && DATA_ERRORS.contains(cause.getSQLState().substring(0, 2));
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
		column(statement, 11, "bytea", rows, (row) -> bytea(row.fingerprint()));
		column(statement, 12, "bytea", rows, (row) -> bytea(row.conflict()));
		return statement;
	}

	private static @Nullable String bytea(@Nullable Fingerprint fingerprint) {
		return (fingerprint != null) ? "\\x" + fingerprint.hex() : null;
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
