package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.status.StoredOrder;
import dev.sluice.gateway.queue.OrderQueue;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Lists failed orders and redelivers them, under their id and with the payload that
 * PostgreSQL keeps. Two redeliveries of one order have one effect, because the backend
 * saves an id once. The backend is asked first, because it may have saved the order
 * although it failed. PostgreSQL and the backend together have {@code status.timeout}.
 */
@Component
public final class FailedOrders {

	private final KeysInProgress keysInProgress;

	private final StatusProperties properties;

	private final StatusRepository repository;

	private final OrderStatuses statuses;

	private final RecentOrders recent;

	private final BackendClient backend;

	private final OutcomePublisher outcomes;

	private final OrderCodec codec;

	private final OrderQueue queue;

	FailedOrders(KeysInProgress keysInProgress, StatusProperties properties, StatusRepository repository,
			OrderStatuses statuses, RecentOrders recent, BackendClient backend, OutcomePublisher outcomes,
			OrderCodec codec, OrderQueue queue) {
		this.keysInProgress = keysInProgress;
		this.properties = properties;
		this.repository = repository;
		this.statuses = statuses;
		this.recent = recent;
		this.backend = backend;
		this.outcomes = outcomes;
		this.codec = codec;
		this.queue = queue;
	}

	/**
	 * Lists failed orders, the earliest failed first.
	 * @return the page; fails with {@link StatusUnavailableException} if PostgreSQL does
	 * not answer
	 */
	public Mono<OrderPage> list(PageQuery query) {
		return this.repository.failed(query, this.properties.timeout()).map(query::page);
	}

	/**
	 * Enqueues a failed order for redelivery; completes when Kafka has it.
	 * @param id the order's id
	 * @return the order, accepted; fails with {@link ProblemException} if the order has
	 * not failed or is saved, or Kafka does not answer, and with
	 * {@link StatusUnavailableException} if PostgreSQL does not
	 */
	public Mono<OrderView> redeliver(UUID id) {
		return Mono.using(() -> this.keysInProgress.begin(id), (_) -> enqueueAgain(id), KeysInProgress.Work::close);
	}

	private Mono<OrderView> enqueueAgain(UUID id) {
		long deadlineNanos = System.nanoTime() + this.properties.timeout().toNanos();
		return this.repository.stored(id, this.properties.timeout())
			// If another source knows the order, it has not failed; otherwise it is not
			// found.
			.switchIfEmpty(Mono.defer(() -> this.statuses.find(id)).map((_) -> {
				throw StoredOrder.notFailed(id);
			}))
			.flatMap((stored) -> enqueueAgain(id, stored, deadlineNanos));
	}

	private Mono<OrderView> enqueueAgain(UUID id, StoredOrder stored, long deadlineNanos) {
		ValidOrder order = stored.forRedelivery(id, this.recent, this.codec);
		Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
		return this.backend.find(id, left).flatMap((result) -> {
			if (result instanceof BackendResult.Saved(SavedOrder saved)) {
				this.outcomes.publish(id, stored.customerId(), saved.savedAt(), null);
				throw StoredOrder.isSaved(id);
			}
			return this.queue.enqueue(order);
		});
	}

}
