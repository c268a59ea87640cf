package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
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

/**
 * Lists failed orders and redelivers them, under their id and with the payload that
 * PostgreSQL keeps. Two redeliveries of one order have one effect, because the backend
 * saves an id once. The backend is asked first, because it may have saved the order
 * although it failed. PostgreSQL and the backend together have {@code status.timeout}.
 * Holds the calling thread.
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
	 * @throws StatusUnavailableException if PostgreSQL does not answer
	 */
	public OrderPage list(PageQuery query) {
		return query.page(this.repository.failed(query, this.properties.timeout()));
	}

	/**
	 * Enqueues a failed order for redelivery; returns when Kafka has it.
	 * @param id the order's id
	 * @return the order, accepted
	 * @throws ProblemException if the order has not failed or is saved, or Kafka does not
	 * answer
	 * @throws StatusUnavailableException if PostgreSQL does not answer
	 */
	public OrderView redeliver(UUID id) {
		try (KeysInProgress.Work _ = this.keysInProgress.begin(id)) {
			return enqueueAgain(id);
		}
	}

	private OrderView enqueueAgain(UUID id) {
		long deadlineNanos = System.nanoTime() + this.properties.timeout().toNanos();
		Optional<StoredOrder> stored = this.repository.stored(id, this.properties.timeout());
		if (stored.isEmpty()) {
			// If another source knows the order, it has not failed; otherwise it is not
			// found.
			this.statuses.find(id);
			throw StoredOrder.notFailed(id);
		}
		ValidOrder order = stored.get().forRedelivery(id, this.recent, this.codec);
		Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
		if (this.backend.find(id, left) instanceof BackendResult.Saved(SavedOrder saved)) {
			this.outcomes.publish(id, stored.get().customerId(), saved.savedAt(), null);
			throw StoredOrder.isSaved(id);
		}
		return this.queue.enqueue(order);
	}

}
