package dev.sluice.gateway.order;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.status.StatusRepositoryContract;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class StatusRepositoryTests extends StatusRepositoryContract {

	private StatusRepository repository;

	@Override
	protected void open(CircuitBreakerRegistry circuits, int connections) {
		close();
		HikariDataSource pool = new HikariDataSource();
		pool.setMaximumPoolSize(connections);
		this.repository = new StatusRepository(circuits, pool, JdbcClient.create(pool));
	}

	@AfterEach
	void close() {
		if (this.repository != null) {
			this.repository.destroy();
		}
	}

	@Override
	protected CompletableFuture<String> ask(Duration limit, CompletableFuture<String> query) {
		CompletableFuture<String> answer = new CompletableFuture<>();
		Thread.startVirtualThread(() -> {
			try {
				answer.complete(this.repository.ask(limit, () -> join(query)));
			}
			catch (RuntimeException ex) {
				answer.completeExceptionally(ex);
			}
		});
		return answer;
	}

	private static String join(CompletableFuture<String> query) {
		try {
			return query.join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	@Override
	protected void awaitQueries(int count) {
		await().until(() -> this.repository.queries() == count);
	}

	/** JDBC's translation takes any refused statement for a wrong one. */
	@Test
	void takesAForbiddenTableForAnOutage() {
		SQLException failure = new SQLException("permission denied for table order_status", "42501");

		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> this.repository.ask(Duration.ofHours(1), () -> {
				throw new BadSqlGrammarException("query", "", failure);
			}));
	}

}
