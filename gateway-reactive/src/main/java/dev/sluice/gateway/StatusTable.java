package dev.sluice.gateway;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import io.r2dbc.spi.Readable;
import org.jspecify.annotations.Nullable;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * The table {@code order_status}, which order-consumer projects from Kafka. Only read
 * here. Answers within {@code status.timeout} or fails.
 */
@Component
class StatusTable {

	private final DatabaseClient database;

	private final StatusProperties properties;

	StatusTable(DatabaseClient database, StatusProperties properties) {
		this.database = database;
		this.properties = properties;
	}

	/**
	 * Looks an order up.
	 * @param id the order's id
	 * @return what is known of it, empty if nothing; fails with
	 * {@link org.springframework.dao.DataAccessException} or
	 * {@link java.util.concurrent.TimeoutException} if PostgreSQL does not answer
	 */
	Mono<OrderView> find(UUID id) {
		return this.database
			.sql("SELECT status, attempts, accepted_at, updated_at, reason FROM order_status WHERE order_id = :id")
			.bind("id", id)
			.map((row) -> view(id, row))
			.one()
			.timeout(this.properties.timeout());
	}

	/**
	 * Looks up what was accepted under an id. Its time limit is the caller's.
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

	private static OrderView view(UUID id, Readable row) {
		return new OrderView(id, OrderStatus.valueOf(required(row, "status", String.class).toUpperCase(Locale.ROOT)),
				required(row, "attempts", Integer.class), instant(row.get("accepted_at", OffsetDateTime.class)),
				required(row, "updated_at", OffsetDateTime.class).toInstant(), row.get("reason", String.class));
	}

	private static <T> T required(Readable row, String column, Class<T> type) {
		return Objects.requireNonNull(row.get(column, type), column);
	}

	private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
		return (time != null) ? time.toInstant() : null;
	}

}
