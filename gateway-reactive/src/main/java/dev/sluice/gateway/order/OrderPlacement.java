package dev.sluice.gateway.order;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.queue.OrderQueue;
import dev.sluice.gateway.status.OrderStatuses;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Places an order: delivers it to the backend or puts it into Kafka, once for an
 * idempotency key.
 */
@Component
record OrderPlacement(KeysInProgress keysInProgress, OrderStatuses statuses, BackendClient backend, OrderQueue queue,
		OutcomePublisher outcomes) {

	/**
	 * Places an order.
	 * @return the order, saved or accepted; fails with {@link ProblemException} if it was
	 * not placed
	 */
	Mono<OrderView> place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		return Mono.using(() -> this.keysInProgress.begin(request.id()),
				(_) -> this.statuses.keyUse(request.id(), request.mode())
					.flatMap((use) -> use.isDispatchNeeded(request, key) ? dispatch(request)
							: Mono.just(OrderReply.accepted(request.id()))),
				KeysInProgress.Work::close);
	}

	private Mono<OrderView> dispatch(OrderRequest request) {
		ValidOrder order = request.order();
		return switch (request.mode()) {
			case SYNC -> this.backend.deliver(order).map((result) -> this.outcomes.publish(request, result));
			case QUEUED -> this.queue.enqueue(order);
		};
	}

}
