package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.gateway.core.status.StatusGuardContract;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.AfterEach;

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

}
