package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.core.status.StatusCircuit;
import dev.sluice.gateway.core.status.StatusOutage;
import dev.sluice.gateway.core.status.StatusSql;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.r2dbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Queries PostgreSQL with a time limit, and not at all while the circuit breaker is open;
 * every request can do without the answer. A bounded number of queries wait for a
 * connection. A query that does not fit fails at once.
 */
@Component
class StatusGuard {

	private final AtomicInteger asking = new AtomicInteger();

	private final StatusOutage outage = new StatusOutage();

	private final StatusCircuit circuit;

	/**
	 * A query with this many before it may have spent its time waiting for a connection.
	 */
	private final int connections;

	StatusGuard(CircuitBreakerRegistry circuits, R2dbcProperties r2dbc) {
		this.connections = r2dbc.getPool().getMaxSize();
		this.circuit = new StatusCircuit(circuits);
	}

	/**
	 * Runs a query.
	 * @param <T> the answer
	 * @param limit maximum time to wait for the answer
	 * @param query what to run
	 * @return the answer; fails with {@link StatusUnavailableException} if there is none
	 * in time
	 */
	<T> Mono<T> ask(Duration limit, Mono<T> query) {
		return Mono
			.using(this.asking::getAndIncrement, (before) -> asked(limit, query, before),
					(_) -> this.asking.decrementAndGet())
			.transformDeferred(CircuitBreakerOperator.of(this.circuit.of(limit)))
			.onErrorMap((failure) -> StatusUnavailableException.isCausedBy(failure) || isNoTable(failure),
					this.outage::of);
	}

	/** The consumer creates the table when it first starts. */
	private static boolean isNoTable(Throwable failure) {
		return failure instanceof BadSqlGrammarException bad && bad.getR2dbcException() != null
				&& StatusSql.isNoTable(bad.getR2dbcException().getSqlState());
	}

	private <T> Mono<T> asked(Duration limit, Mono<T> query, int before) {
		if (before >= this.connections + StatusCircuit.MAX_WAITING) {
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
