package dev.sluice.gateway.order;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.TestBackend;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.status.OrderStatusesContract;
import dev.sluice.gateway.core.status.StatusRow;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.awaitility.Awaitility.await;

class OrderStatusesTests extends OrderStatusesContract {

	private final StatusRepository repository = new FakeRepository();

	/** Until the test is over. */
	private final CompletableFuture<String> never = new CompletableFuture<>();

	private TestBackend backend;

	private OrderStatuses statuses;

	private static HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setMaximumPoolSize(10);
		return pool;
	}

	@Override
	protected void open(StatusProperties properties, FakeRecentOrders recent, URI backend, OutcomePublisher outcomes) {
		if (this.backend != null) {
			this.backend.close();
		}
		this.backend = new TestBackend(backend);
		this.statuses = new OrderStatuses(properties, this.repository, recent, this.backend.client(), outcomes, null,
				null, null, null);
	}

	@Override
	protected OrderView find(UUID id) {
		return this.statuses.find(id);
	}

	@Override
	protected void useUpTable() {
		IntStream.range(0, 1_010)
			.forEach((_) -> Thread
				.startVirtualThread(() -> this.repository.ask(Duration.ofMinutes(1), this.never::join)));
		await().until(() -> this.repository.queries() == 1_010);
	}

	@Override
	protected void close() {
		this.never.complete("over");
		this.repository.destroy();
		this.backend.close();
	}

	private final class FakeRepository extends StatusRepository {

		FakeRepository() {
			super(CircuitBreakerRegistry.ofDefaults(), pool(), JdbcClient.create(new DriverManagerDataSource()));
		}

		@Override
		Optional<StatusRow> find(UUID id, Duration limit) {
			return ask(limit, OrderStatusesTests.this::table);
		}

	}

}
