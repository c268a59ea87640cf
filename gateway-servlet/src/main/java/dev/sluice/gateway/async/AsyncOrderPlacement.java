package dev.sluice.gateway.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.status.OrderStatuses;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Like the blocking placement, but holds no thread of the container. */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
record AsyncOrderPlacement(KeysInProgress keysInProgress, OrderStatuses statuses, AsyncBackendClient backend,
		AsyncOrderQueue queue, OutcomePublisher outcomes) {

	/**
	 * Places an order.
	 * @return the order, saved or accepted; fails with {@link ProblemException} if it was
	 * not placed
	 * @throws ProblemException if it was not placed
	 */
	CompletionStage<OrderView> place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		KeysInProgress.Work work = this.keysInProgress.begin(request.id());
		try {
			return callBlocking(() -> this.statuses.keyUse(request.id(), request.mode()))
				.thenCompose((use) -> use.isDispatchNeeded(request, key) ? dispatch(request)
						: CompletableFuture.completedStage(OrderReply.accepted(request.id())))
				.whenComplete((_, _) -> work.close());
		}
		catch (RuntimeException | Error ex) {
			work.close();
			throw ex;
		}
	}

	/**
	 * Runs a call that blocks, a look-up over JDBC, on a virtual thread. The limit on
	 * requests in progress bounds their number.
	 */
	static <T> CompletableFuture<T> callBlocking(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, (task) -> Thread.ofVirtual().name("lookup").start(task));
	}

	private CompletionStage<OrderView> dispatch(OrderRequest request) {
		ValidOrder order = request.order();
		return switch (request.mode()) {
			case SYNC -> this.backend.deliver(order).thenApply((result) -> this.outcomes.publish(request, result));
			case QUEUED -> this.queue.enqueue(order);
		};
	}

}
