package dev.sluice.gateway.status;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.status.StatusRow;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The table {@code order_status}, which order-consumer projects from Kafka. Only read
 * here. Holds the calling thread for at most the connection's and the query's time limit.
 */
@Component
public class StatusRepository {

	private static final String VIEW = "order_id, status, attempts, accepted_at, updated_at, reason";

	private static final String ROW = VIEW + ", customer_id, COALESCE(acceptance, updated_at) AS acceptance";

	private final JdbcClient jdbc;

	StatusRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Looks an order up.
	 * @param id the order's id
	 * @return what is known of it
	 * @throws org.springframework.dao.DataAccessException if PostgreSQL does not answer
	 */
	Optional<StatusRow> find(UUID id) {
		return this.jdbc.sql("SELECT " + ROW + " FROM order_status WHERE order_id = :id")
			.param("id", id)
			.query((row, _) -> new StatusRow(view(row), row.getString("customer_id"),
					row.getObject("acceptance", OffsetDateTime.class).toInstant()))
			.optional();
	}

	/**
	 * Looks up what was accepted under an id.
	 * @param id the order's id
	 * @return the fingerprint of the order first accepted, empty if there is none
	 * @throws org.springframework.dao.DataAccessException if PostgreSQL does not answer
	 */
	Optional<Fingerprint> fingerprint(UUID id) {
		return this.jdbc.sql("SELECT fingerprint FROM order_status WHERE order_id = :id AND fingerprint IS NOT NULL")
			.param("id", id)
			.query((row, _) -> Fingerprint.ofBytes(row.getBytes("fingerprint")))
			.optional();
	}

	/**
	 * Lists failed orders.
	 * @param query after which
	 * @param limit how many at most
	 * @return the earliest failed first
	 * @throws org.springframework.dao.DataAccessException if PostgreSQL does not answer
	 */
	List<OrderView> failed(PageQuery query, int limit) {
		return this.jdbc
			.sql("SELECT " + VIEW + " FROM order_status WHERE status = 'failed' "
					+ "AND (updated_at, order_id) > (:after, :id) ORDER BY updated_at, order_id LIMIT :limit")
			.param("after", query.after().atOffset(ZoneOffset.UTC))
			.param("id", query.afterId())
			.param("limit", limit)
			.query((row, _) -> view(row))
			.list();
	}

	/**
	 * Looks up what is needed to deliver an order again.
	 * @param id the order's id
	 * @return empty if there is no such order
	 * @throws org.springframework.dao.DataAccessException if PostgreSQL does not answer
	 */
	Optional<Stored> stored(UUID id) {
		return this.jdbc.sql("SELECT status, customer_id, payload FROM order_status WHERE order_id = :id")
			.param("id", id)
			.query((row, _) -> new Stored(status(row), row.getString("customer_id"), row.getString("payload")))
			.optional();
	}

	private static OrderStatus status(ResultSet row) throws SQLException {
		return OrderStatus.valueOf(row.getString("status").toUpperCase(Locale.ROOT));
	}

	private static OrderView view(ResultSet row) throws SQLException {
		return new OrderView(row.getObject("order_id", UUID.class), status(row), row.getInt("attempts"),
				instant(row.getObject("accepted_at", OffsetDateTime.class)),
				row.getObject("updated_at", OffsetDateTime.class).toInstant(), row.getString("reason"));
	}

	private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
		return (time != null) ? time.toInstant() : null;
	}

	/**
	 * What is kept of an order to deliver it again.
	 *
	 * @param status how far it has come
	 * @param customerId whose order it is
	 * @param payload its JSON; null unless it has failed and was readable
	 */
	record Stored(OrderStatus status, String customerId, @Nullable String payload) {
	}

}
