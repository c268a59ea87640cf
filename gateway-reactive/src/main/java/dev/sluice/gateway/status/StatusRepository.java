package dev.sluice.gateway.status;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.status.StatusRow;
import io.r2dbc.spi.Readable;
import org.jspecify.annotations.Nullable;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * The table {@code order_status}, which order-consumer projects from Kafka. Only read
 * here. Every time limit is the caller's.
 */
@Component
public class StatusRepository {

	private static final String VIEW = "order_id, status, attempts, accepted_at, updated_at, reason";

	private static final String ROW = VIEW + ", customer_id, COALESCE(acceptance, updated_at) AS acceptance";

	private final DatabaseClient database;

	StatusRepository(DatabaseClient database) {
		this.database = database;
	}

	/**
	 * Looks an order up.
	 * @param id the order's id
	 * @return what is known of it, empty if nothing; fails with
	 * {@link org.springframework.dao.DataAccessException} if PostgreSQL does not answer
	 */
	Mono<StatusRow> find(UUID id) {
		return this.database.sql("SELECT " + ROW + " FROM order_status WHERE order_id = :id")
			.bind("id", id)
			.map((row) -> new StatusRow(view(row), required(row, "customer_id", String.class),
					required(row, "acceptance", OffsetDateTime.class).toInstant()))
			.one();
	}

	/**
	 * Looks up what was accepted under an id.
	 * @param id the order's id
	 * @return the fingerprint of the order first accepted, empty if there is none; fails
	 * with {@link org.springframework.dao.DataAccessException} if PostgreSQL does not
	 * answer
	 */
	Mono<Fingerprint> fingerprint(UUID id) {
		return this.database
			.sql("SELECT fingerprint FROM order_status WHERE order_id = :id AND fingerprint IS NOT NULL")
			.bind("id", id)
			.map((row) -> Fingerprint.ofBytes(required(row, "fingerprint", byte[].class)))
			.one();
	}

	/**
	 * Lists failed orders.
	 * @param query after which
	 * @param limit how many at most
	 * @return the earliest failed first; fails with
	 * {@link org.springframework.dao.DataAccessException} if PostgreSQL does not answer
	 */
	Mono<List<OrderView>> failed(PageQuery query, int limit) {
		return this.database
			.sql("SELECT " + VIEW + " FROM order_status WHERE status = 'failed' "
					+ "AND (updated_at, order_id) > (:after, :id) ORDER BY updated_at, order_id LIMIT :limit")
			.bind("after", query.after().atOffset(ZoneOffset.UTC))
			.bind("id", query.afterId())
			.bind("limit", limit)
			.map(StatusRepository::view)
			.all()
			.collectList();
	}

	/**
	 * Looks up what is needed to deliver an order again.
	 * @param id the order's id
	 * @return empty if there is no such order; fails with
	 * {@link org.springframework.dao.DataAccessException} if PostgreSQL does not answer
	 */
	Mono<Stored> stored(UUID id) {
		return this.database.sql("SELECT status, customer_id, payload FROM order_status WHERE order_id = :id")
			.bind("id", id)
			.map((row) -> new Stored(status(row), required(row, "customer_id", String.class),
					row.get("payload", String.class)))
			.one();
	}

	private static OrderStatus status(Readable row) {
		return OrderStatus.valueOf(required(row, "status", String.class).toUpperCase(Locale.ROOT));
	}

	private static OrderView view(Readable row) {
		return new OrderView(required(row, "order_id", UUID.class), status(row),
				required(row, "attempts", Integer.class), instant(row.get("accepted_at", OffsetDateTime.class)),
				required(row, "updated_at", OffsetDateTime.class).toInstant(), row.get("reason", String.class));
	}

	private static <T> T required(Readable row, String column, Class<T> type) {
		return Objects.requireNonNull(row.get(column, type), column);
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
