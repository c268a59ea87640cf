package dev.sluice.gateway.order;

import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.status.KeyLookups;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusPolicy;
import dev.sluice.gateway.core.status.StatusRow;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads the table {@code order_status}, see {@link StatusRow}, with a time limit, and not
 * at all while the circuit breaker is open: every request can do without the answer. The
 * time limits of JDBC are whole seconds, so a pool of threads runs the queries, one
 * thread for each connection, with a bounded queue. A query that does not fit fails at
 * once. Holds the calling thread. Each method throws {@link ProblemException} if
 * PostgreSQL does not answer within its limit.
 */
@Component
class StatusRepository implements KeyLookups.Table, DisposableBean {

	private final StatusPolicy policy;

	private final ThreadPoolExecutor executor;

	private final JdbcClient jdbc;

	StatusRepository(CircuitBreakerRegistry circuits, HikariDataSource pool, JdbcClient jdbc) {
		this.jdbc = jdbc;
		int connections = pool.getMaximumPoolSize();
		this.policy = new StatusPolicy(circuits);
		this.executor = new ThreadPoolExecutor(connections, connections, 60, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(StatusPolicy.MAX_WAITING),
				Thread.ofPlatform().daemon().name("status-", 0).factory());
		this.executor.allowCoreThreadTimeOut(true);
	}

	/** Looks up an order. */
	Optional<StatusRow> find(UUID id, Duration limit) {
		return ask(limit,
				() -> this.jdbc.sql(StatusRow.FIND)
					.param("id", id)
					.query((row, _) -> StatusRow.<SQLException>of(row::getObject))
					.optional());
	}

	@Override
	public CompletableFuture<@Nullable Map<UUID, KeyUse.Used>> keyUses(List<UUID> ids, Duration limit) {
		return KeyLookups.blocking(() -> ask(limit, () -> {
			Map<UUID, KeyUse.Used> uses = new HashMap<>();
			this.jdbc.sql(StatusRow.KEY_USES).param("ids", StatusRow.array(ids)).query((row) -> {
				uses.put(row.getObject("order_id", UUID.class), StatusRow.<SQLException>used(row::getObject));
			});
			return uses;
		}));
	}

	/** Lists failed orders, one more than the query's limit if there are more. */
	List<OrderView> failed(PageQuery query, Duration limit) {
		return ask(limit,
				() -> this.jdbc.sql(StatusRow.FAILED)
					.param("after", query.after().atOffset(ZoneOffset.UTC))
					.param("id", query.afterId())
					.param("limit", query.limit() + 1)
					.query((row, _) -> StatusRow.<SQLException>view(row::getObject))
					.list());
	}

	/**
	 * Runs a query.
	 * @param <T> the answer
	 * @param limit maximum time to wait for the answer
	 * @param query blocks until it has the answer
	 * @return the answer
	 * @throws ProblemException if there is none in time
	 */
	<T> T ask(Duration limit, Supplier<T> query) {
		try {
			return this.policy.circuit(limit).executeSupplier(() -> asked(limit, query));
		}
		catch (RuntimeException ex) {
			if (StatusPolicy.isOutage(ex) || isNoTable(ex)) {
				throw this.policy.outage(ex);
			}
			throw ex;
		}
	}

	/** The consumer creates the table when it first starts. */
	private static boolean isNoTable(RuntimeException failure) {
		return failure instanceof BadSqlGrammarException bad && bad.getSQLException() != null
				&& StatusRow.isNoTable(bad.getSQLException().getSQLState());
	}

	private <T> T asked(Duration limit, Supplier<T> query) {
		AtomicBoolean begun = new AtomicBoolean();
		Future<T> answer = this.executor.submit(() -> {
			begun.set(true);
			return query.get();
		});
		try {
			return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			answer.cancel(false);
			throw begun.get() ? new QueryTimeoutException("PostgreSQL did not answer within " + limit)
					: new RejectedExecutionException("PostgreSQL was not asked within " + limit);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CancellationException();
		}
	}

	/** Number of queries that are running or waiting. */
	int queries() {
		return this.executor.getActiveCount() + this.executor.getQueue().size();
	}

	@Override
	public void destroy() {
		this.executor.shutdown();
	}

}
