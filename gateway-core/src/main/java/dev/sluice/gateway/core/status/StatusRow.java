package dev.sluice.gateway.core.status;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code order_status}, which order-consumer projects from Kafka, and
 * the queries of the table. Their parameters are {@code id}, {@code after} and
 * {@code limit}.
 *
 * @param view the client's view of it
 * @param customerId the order's customer
 * @param acceptance time of the acceptance that its status belongs to
 * @param used what its id was used for; null if the order has no idempotency key
 * @param payload the order's JSON; null unless it has failed and was readable
 */
public record StatusRow(OrderView view, String customerId, Instant acceptance, KeyUse.@Nullable Used used,
		@Nullable String payload) {

	private static final String VIEW = "order_id, status, attempts, accepted_at, updated_at, reason";

	private static final String USE = "encode(fingerprint, 'hex') AS fingerprint, encode(conflict, 'hex') AS conflict";

	/** One order: {@link #of}. */
	public static final String FIND = "SELECT " + VIEW
			+ ", customer_id, COALESCE(acceptance, updated_at) AS acceptance, payload, " + USE
			+ " FROM order_status WHERE order_id = :id";

	/** What ids, an array, were used for, if their rows say so: {@link #used}. */
	public static final String KEY_USES = "SELECT order_id, " + USE + " FROM order_status "
			+ "WHERE order_id = ANY(CAST(:ids AS uuid[])) AND COALESCE(fingerprint, conflict) IS NOT NULL";

	/** Failed orders, the earliest failed first: {@link #view}. */
	public static final String FAILED = "SELECT " + VIEW + " FROM order_status WHERE status = 'failed' "
			+ "AND (updated_at, order_id) > (:after, :id) ORDER BY updated_at, order_id LIMIT :limit";

	/**
	 * Whether an error code of PostgreSQL says that the table is missing or forbidden.
	 */
	public static boolean isNoTable(@Nullable String state) {
		return "42P01".equals(state) || "42501".equals(state);
	}

	/** The parameter {@code ids}. */
	public static String array(List<UUID> ids) {
		return ids.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}"));
	}

	public static <E extends Exception> StatusRow of(Columns<E> row) throws E {
		KeyUse.Used used = used(row);
		return new StatusRow(view(row), required(row, "customer_id", String.class),
				required(row, "acceptance", OffsetDateTime.class).toInstant(),
				(used.fingerprint() != null || used.conflict() != null) ? used : null,
				row.get("payload", String.class));
	}

	public static <E extends Exception> KeyUse.Used used(Columns<E> row) throws E {
		return new KeyUse.Used(fingerprint(row, "fingerprint"), fingerprint(row, "conflict"));
	}

	public static <E extends Exception> OrderView view(Columns<E> row) throws E {
		OffsetDateTime acceptedAt = row.get("accepted_at", OffsetDateTime.class);
		Instant accepted = (acceptedAt != null) ? acceptedAt.toInstant() : null;
		return new OrderView(required(row, "order_id", UUID.class),
				OrderStatus.valueOf(required(row, "status", String.class).toUpperCase(Locale.ROOT)),
				required(row, "attempts", Integer.class), accepted,
				required(row, "updated_at", OffsetDateTime.class).toInstant(), row.get("reason", String.class));
	}

	private static <E extends Exception> @Nullable Fingerprint fingerprint(Columns<E> row, String column) throws E {
		String hex = row.get(column, String.class);
		return (hex != null) ? new Fingerprint(hex) : null;
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
