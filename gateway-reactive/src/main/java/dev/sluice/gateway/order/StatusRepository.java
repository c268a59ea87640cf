package dev.sluice.gateway.order;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.status.KeyLookups;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusPolicy;
import dev.sluice.gateway.core.status.StatusRow;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.r2dbc.BadSqlGrammarException;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Reads the table {@code order_status}, see {@link StatusRow}, with a time limit, and not
 * at all while the circuit breaker is open: every request can do without the answer. A
 * bounded number of queries wait for a connection. A query that does not fit fails at
 * once. Each method fails with {@link ProblemException} if PostgreSQL does not answer
 * within its limit.
 */
@Component
class StatusRepository implements KeyLookups.Table {

	private final AtomicInteger asking = new AtomicInteger();

	private final StatusPolicy policy;

	/**
	 * A query with this many before it may have spent its time waiting for a connection.
	 */
	private final int connections;

	private final DatabaseClient database;

	StatusRepository(CircuitBreakerRegistry circuits, R2dbcProperties r2dbc, DatabaseClient database) {
		this.database = database;
		this.connections = r2dbc.getPool().getMaxSize();
		this.policy = new StatusPolicy(circuits);
	}

	/** Looks up an order. */
	Mono<StatusRow> find(UUID id, Duration limit) {
		return ask(limit,
				this.database.sql(StatusRow.FIND)
					.bind("id", id)
					.map((row) -> StatusRow.<RuntimeException>of(row::get))
					.one());
	}

	@Override
	public CompletableFuture<@Nullable Map<UUID, KeyUse.Used>> keyUses(List<UUID> ids, Duration limit) {
		return ask(limit, this.database.sql(StatusRow.KEY_USES)
			.bind("ids", StatusRow.array(ids))
			.map((row) -> Map.entry(row.get("order_id", UUID.class), StatusRow.<RuntimeException>used(row::get)))
			.all()
			.collectMap(Map.Entry::getKey, Map.Entry::getValue)).toFuture();
	}

	/** Lists failed orders, one more than the query's limit if there are more. */
	Mono<List<OrderView>> failed(PageQuery query, Duration limit) {
		return ask(limit,
				this.database.sql(StatusRow.FAILED)
					.bind("after", query.after().atOffset(ZoneOffset.UTC))
					.bind("id", query.afterId())
					.bind("limit", query.limit() + 1)
					.map((row) -> StatusRow.<RuntimeException>view(row::get))
					.all()
					.collectList());
	}

	/**
	 * Runs a query.
	 * @param <T> the answer
	 * @param limit maximum time to wait for the answer
	 * @param query what to run
	 * @return the answer; fails with {@link ProblemException} if there is none in time
	 */
	<T> Mono<T> ask(Duration limit, Mono<T> query) {
		return Mono
			.using(this.asking::getAndIncrement, (before) -> asked(limit, query, before),
					(_) -> this.asking.decrementAndGet())
			.transformDeferred(CircuitBreakerOperator.of(this.policy.circuit(limit)))
			.onErrorMap((failure) -> StatusPolicy.isOutage(failure) || isNoTable(failure), this.policy::outage);
	}

	/** The consumer creates the table when it first starts. */
	private static boolean isNoTable(Throwable failure) {
		return failure instanceof BadSqlGrammarException bad && bad.getR2dbcException() != null
				&& StatusRow.isNoTable(bad.getR2dbcException().getSqlState());
	}

	private <T> Mono<T> asked(Duration limit, Mono<T> query, int before) {
		if (before >= this.connections + StatusPolicy.MAX_WAITING) {
			return Mono.error(new RejectedExecutionException("Too many queries wait for PostgreSQL"));
		}
		// As a value: the driver may fail after the limit, which Reactor would log.
		return query.materialize()
			.timeout(limit)
			.<T>dematerialize()
			.onErrorMap((failure) -> failure instanceof TimeoutException && before >= this.connections,
					(_) -> new RejectedExecutionException("PostgreSQL was not asked within " + limit));
	}

}
