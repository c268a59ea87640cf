package dev.sluice.gateway.order;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.TestBackend;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.status.OrderStatusesContract;
import dev.sluice.gateway.core.status.StatusRow;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.r2dbc.spi.ConnectionFactories;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.r2dbc.core.DatabaseClient;
import reactor.core.publisher.Mono;

class OrderStatusesTests extends OrderStatusesContract {

	private final StatusRepository repository = new FakeRepository();

	private TestBackend backend;

	private OrderStatuses statuses;

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
		return this.statuses.find(id).block();
	}

	@Override
	protected void useUpTable() {
		IntStream.range(0, 1_010).forEach((_) -> this.repository.ask(Duration.ofMinutes(1), Mono.never()).subscribe());
	}

	@Override
	protected void close() {
		this.backend.close();
	}

	private final class FakeRepository extends StatusRepository {

		FakeRepository() {
			super(CircuitBreakerRegistry.ofDefaults(), new R2dbcProperties(),
					DatabaseClient.create(ConnectionFactories.get("r2dbc:postgresql://none:none@127.0.0.1:1/none")));
		}

		@Override
		Mono<StatusRow> find(UUID id, Duration limit) {
			return ask(limit, Mono.defer(() -> Mono.justOrEmpty(table())));
		}

	}

}
