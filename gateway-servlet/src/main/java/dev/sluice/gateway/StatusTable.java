package dev.sluice.gateway;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The table {@code order_status}, which order-consumer projects from Kafka. Only read
 * here. Holds the calling thread for at most the connection's and the query's time limit.
 */
@Component
class StatusTable {

	private final JdbcClient jdbc;

	StatusTable(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Looks an order up.
	 * @param id the order's id
	 * @return what is known of it
	 * @throws org.springframework.dao.DataAccessException if PostgreSQL does not answer
	 */
	Optional<OrderView> find(UUID id) {
		return this.jdbc
			.sql("SELECT status, attempts, accepted_at, updated_at, reason FROM order_status WHERE order_id = :id")
			.param("id", id)
			.query((row, _) -> view(id, row))
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

	private static OrderView view(UUID id, ResultSet row) throws SQLException {
		return new OrderView(id, OrderStatus.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
				row.getInt("attempts"), instant(row.getObject("accepted_at", OffsetDateTime.class)),
				row.getObject("updated_at", OffsetDateTime.class).toInstant(), row.getString("reason"));
	}

	private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
		return (time != null) ? time.toInstant() : null;
	}

}
