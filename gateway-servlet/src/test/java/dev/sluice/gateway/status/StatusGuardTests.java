package dev.sluice.gateway.status;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.gateway.core.status.StatusGuardContract;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.BadSqlGrammarException;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class StatusGuardTests extends StatusGuardContract {

	private StatusGuard guard;

	@Override
	protected void open(CircuitBreakerRegistry circuits, int connections) {
		close();
		HikariDataSource pool = new HikariDataSource();
		pool.setMaximumPoolSize(connections);
		this.guard = new StatusGuard(circuits, pool);
	}

	@AfterEach
	void close() {
		if (this.guard != null) {
			this.guard.destroy();
		}
	}

	@Override
	protected CompletableFuture<String> ask(Duration limit, CompletableFuture<String> query) {
		CompletableFuture<String> answer = new CompletableFuture<>();
		Thread.startVirtualThread(() -> {
			try {
				answer.complete(this.guard.ask(limit, () -> join(query)));
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
		await().until(() -> this.guard.queries() == count);
	}

	/** JDBC's translation takes any refused statement for a wrong one. */
	@Test
	void takesAForbiddenTableForAnOutage() {
		SQLException failure = new SQLException("permission denied for table order_status", "42501");

		assertThatExceptionOfType(StatusUnavailableException.class)
			.isThrownBy(() -> this.guard.ask(Duration.ofHours(1), () -> {
				throw new BadSqlGrammarException("query", "", failure);
			}));
	}

}
