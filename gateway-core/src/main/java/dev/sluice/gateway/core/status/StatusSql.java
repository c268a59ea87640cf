package dev.sluice.gateway.core.status;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import org.jspecify.annotations.Nullable;

/**
 * The queries of the table {@code order_status}, which order-consumer projects from
 * Kafka, and the readers of their rows. The parameters are {@code id}, {@code after} and
 * {@code limit}.
 */
public final class StatusSql {

	private static final String VIEW = "order_id, status, attempts, accepted_at, updated_at, reason";

	private static final String USE = "encode(fingerprint, 'hex') AS fingerprint, encode(conflict, 'hex') AS conflict";

	/** One order: {@link #row}. */
	public static final String FIND = "SELECT " + VIEW
			+ ", customer_id, COALESCE(acceptance, updated_at) AS acceptance, " + USE
			+ " FROM order_status WHERE order_id = :id";

	/** What an id was used for: {@link #keyUse}. */
	public static final String KEY_USE = "SELECT " + USE + " FROM order_status "
			+ "WHERE order_id = :id AND COALESCE(fingerprint, conflict) IS NOT NULL";

	/** Failed orders, the earliest failed first: {@link #view}. */
	public static final String FAILED = "SELECT " + VIEW + " FROM order_status WHERE status = 'failed' "
			+ "AND (updated_at, order_id) > (:after, :id) ORDER BY updated_at, order_id LIMIT :limit";

	/** The data for a redelivery: {@link #stored}. */
	public static final String STORED = "SELECT status, customer_id, payload FROM order_status WHERE order_id = :id";

	private StatusSql() {
	}

	/**
	 * Whether an error code of PostgreSQL says that the table is missing or forbidden.
	 */
	public static boolean isNoTable(@Nullable String state) {
		return "42P01".equals(state) || "42501".equals(state);
	}

	public static <E extends Exception> StatusRow row(Columns<E> row) throws E {
		KeyUse.Used used = keyUse(row);
		return new StatusRow(view(row), required(row, "customer_id", String.class),
				required(row, "acceptance", OffsetDateTime.class).toInstant(),
				(used.fingerprint() != null || used.conflict() != null) ? used : null);
	}

	public static <E extends Exception> OrderView view(Columns<E> row) throws E {
		OffsetDateTime acceptedAt = row.get("accepted_at", OffsetDateTime.class);
		Instant accepted = (acceptedAt != null) ? acceptedAt.toInstant() : null;
		return new OrderView(required(row, "order_id", UUID.class), status(row),
				required(row, "attempts", Integer.class), accepted,
				required(row, "updated_at", OffsetDateTime.class).toInstant(), row.get("reason", String.class));
	}

	public static <E extends Exception> KeyUse.Used keyUse(Columns<E> row) throws E {
		String fingerprint = row.get("fingerprint", String.class);
		String conflict = row.get("conflict", String.class);
		return new KeyUse.Used((fingerprint != null) ? new Fingerprint(fingerprint) : null,
				(conflict != null) ? new Fingerprint(conflict) : null);
	}

	public static <E extends Exception> StoredOrder stored(Columns<E> row) throws E {
		return new StoredOrder(status(row), required(row, "customer_id", String.class),
				row.get("payload", String.class));
	}

	private static <E extends Exception> OrderStatus status(Columns<E> row) throws E {
		return OrderStatus.valueOf(required(row, "status", String.class).toUpperCase(Locale.ROOT));
	}

	private static <T, E extends Exception> T required(Columns<E> row, String column, Class<T> type) throws E {
		return Objects.requireNonNull(row.get(column, type), column);
	}

	/**
	 * A row of a result, of JDBC or R2DBC.
	 *
	 * @param <E> the exception of a column that cannot be read
	 */
	@FunctionalInterface
	public interface Columns<E extends Exception> {

		<T> @Nullable T get(String column, Class<T> type) throws E;

	}

}
