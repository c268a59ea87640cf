package dev.sluice.gateway.status;

import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusSql;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.status.StoredOrder;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads the table {@code order_status}, see {@link StatusSql}, within the limits of
 * {@link StatusGuard}. Holds the calling thread. Each method throws
 * {@link StatusUnavailableException} if PostgreSQL does not answer within its limit.
 */
@Component
class StatusRepository {

	private final StatusGuard guard;

	private final JdbcClient jdbc;

	StatusRepository(StatusGuard guard, JdbcClient jdbc) {
		this.guard = guard;
		this.jdbc = jdbc;
	}

	/** Looks up an order. */
	Optional<StatusRow> find(UUID id, Duration limit) {
		return this.guard.ask(limit,
				() -> this.jdbc.sql(StatusSql.FIND)
					.param("id", id)
					.query((row, _) -> StatusSql.<SQLException>row(row::getObject))
					.optional());
	}

	/** Looks up what an id was used for. */
	Optional<KeyUse.Used> keyUse(UUID id, Duration limit) {
		return this.guard.ask(limit,
				() -> this.jdbc.sql(StatusSql.KEY_USE)
					.param("id", id)
					.query((row, _) -> StatusSql.<SQLException>keyUse(row::getObject))
					.optional());
	}

	/** Lists failed orders, one more than the query's limit if there are more. */
	List<OrderView> failed(PageQuery query, Duration limit) {
		return this.guard.ask(limit,
				() -> this.jdbc.sql(StatusSql.FAILED)
					.param("after", query.after().atOffset(ZoneOffset.UTC))
					.param("id", query.afterId())
					.param("limit", query.limit() + 1)
					.query((row, _) -> StatusSql.<SQLException>view(row::getObject))
					.list());
	}

	/** Looks up the data for a redelivery. */
	Optional<StoredOrder> stored(UUID id, Duration limit) {
		return this.guard.ask(limit,
				() -> this.jdbc.sql(StatusSql.STORED)
					.param("id", id)
					.query((row, _) -> StatusSql.<SQLException>stored(row::getObject))
					.optional());
	}

}
