package dev.sluice.gateway.status;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusSql;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.status.StoredOrder;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Reads the table {@code order_status}, see {@link StatusSql}, within the limits of
 * {@link StatusGuard}. Each method fails with {@link StatusUnavailableException} if
 * PostgreSQL does not answer within its limit.
 */
@Component
class StatusRepository {

	private final StatusGuard guard;

	private final DatabaseClient database;

	StatusRepository(StatusGuard guard, DatabaseClient database) {
		this.guard = guard;
		this.database = database;
	}

	/** Looks up an order. */
	Mono<StatusRow> find(UUID id, Duration limit) {
		return this.guard.ask(limit,
				this.database.sql(StatusSql.FIND)
					.bind("id", id)
					.map((row) -> StatusSql.<RuntimeException>row(row::get))
					.one());
	}

	/** Looks up what an id was used for. */
	Mono<KeyUse.Used> keyUse(UUID id, Duration limit) {
		return this.guard.ask(limit,
				this.database.sql(StatusSql.KEY_USE)
					.bind("id", id)
					.map((row) -> StatusSql.<RuntimeException>keyUse(row::get))
					.one());
	}

	/** Lists failed orders, one more than the query's limit if there are more. */
	Mono<List<OrderView>> failed(PageQuery query, Duration limit) {
		return this.guard.ask(limit,
				this.database.sql(StatusSql.FAILED)
					.bind("after", query.after().atOffset(ZoneOffset.UTC))
					.bind("id", query.afterId())
					.bind("limit", query.limit() + 1)
					.map((row) -> StatusSql.<RuntimeException>view(row::get))
					.all()
					.collectList());
	}

	/** Looks up the data for a redelivery. */
	Mono<StoredOrder> stored(UUID id, Duration limit) {
		return this.guard.ask(limit,
				this.database.sql(StatusSql.STORED)
					.bind("id", id)
					.map((row) -> StatusSql.<RuntimeException>stored(row::get))
					.one());
	}

}
