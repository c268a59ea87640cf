package dev.sluice.gateway.status;

import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusSql;
import dev.sluice.gateway.core.status.StoredOrder;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads the table {@code order_status}, see {@link StatusSql}. Holds the calling thread
 * for at most the connection's and the query's time limit. Each method throws
 * {@link DataAccessException} if PostgreSQL does not answer.
 */
@Component
class StatusRepository {

	private final JdbcClient jdbc;

	StatusRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/** Looks up an order. */
	Optional<StatusRow> find(UUID id) {
		return this.jdbc.sql(StatusSql.FIND)
			.param("id", id)
			.query((row, _) -> StatusSql.<SQLException>row(row::getObject))
			.optional();
	}

	/** Looks up what an id was used for. */
	Optional<KeyUse.Used> keyUse(UUID id) {
		return this.jdbc.sql(StatusSql.KEY_USE)
			.param("id", id)
			.query((row, _) -> StatusSql.<SQLException>keyUse(row::getObject))
			.optional();
	}

	/** Lists failed orders, one more than the query's limit if there are more. */
	List<OrderView> failed(PageQuery query) {
		return this.jdbc.sql(StatusSql.FAILED)
			.param("after", query.after().atOffset(ZoneOffset.UTC))
			.param("id", query.afterId())
			.param("limit", query.limit() + 1)
			.query((row, _) -> StatusSql.<SQLException>view(row::getObject))
			.list();
	}

	/** Looks up the data for a redelivery. */
	Optional<StoredOrder> stored(UUID id) {
		return this.jdbc.sql(StatusSql.STORED)
			.param("id", id)
			.query((row, _) -> StatusSql.<SQLException>stored(row::getObject))
			.optional();
	}

}
