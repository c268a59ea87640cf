package dev.sluice.gateway.order;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.queue.OrderQueue;
import dev.sluice.gateway.status.OrderStatuses;
import org.springframework.stereotype.Component;

/**
 * Places an order: delivers it to the backend or puts it into Kafka, once for an
 * idempotency key. Holds the calling thread.
 */
@Component
record OrderPlacement(KeysInProgress keysInProgress, OrderStatuses statuses, BackendClient backend, OrderQueue queue,
		OutcomePublisher outcomes) {

	/**
	 * Places an order.
	 * @return the order, saved or accepted
	 * @throws ProblemException if it was not placed
	 */
	OrderView place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		try (KeysInProgress.Work _ = this.keysInProgress.begin(request.id())) {
			boolean needed = this.statuses.keyUse(request.id(), request.mode()).isDispatchNeeded(request, key);
			return needed ? dispatch(request) : OrderReply.accepted(request.id());
		}
	}

	private OrderView dispatch(OrderRequest request) {
		return switch (request.mode()) {
			case SYNC -> this.outcomes.publish(request, this.backend.deliver(request.order()));
			case QUEUED -> this.queue.enqueue(request.order());
		};
	}

}
