package dev.sluice.gateway.async;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.status.KeyLookups;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OrderRequests;
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import dev.sluice.gateway.order.OrderStatuses;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpEntity;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The API with {@code async}: the container gets a future and its thread is released. An
 * order holds no thread while the gateway waits for the backend or for Kafka. Reads of
 * PostgreSQL run on virtual threads.
 */
@RestController
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
record AsyncOrderController(OrderRequests requests, KeysInProgress keysInProgress, AsyncDispatch dispatch,
		OutcomePublisher outcomes, KeyLookups keys, OrderStatuses statuses, OrderMetrics metrics) {

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> place(HttpEntity<byte[]> http,
			@RequestAttribute(GuardedHttp11Processor.ATTRIBUTE) GuardedHttp11Processor connection) {
		Prefer prefer = this.requests.prefer(http.getHeaders());
		OrderMetrics.Timing timing = this.metrics.begin(prefer.mode());
		return CompletableFuture.completedStage(http)
			.thenApply((order) -> this.requests.read(prefer, order))
			// While the client waits, its key is not in progress: the order is accepted.
			.thenCompose((request) -> place(request).thenCompose((order) -> request.waitsForOutcome()
					? callBlocking(() -> this.statuses.untilSaved(request, connection::isDisconnected))
					: CompletableFuture.completedStage(OrderReply.to(request, order, false))))
			.whenComplete((_, failure) -> timing.end((failure != null) ? AsyncDispatch.cause(failure) : null))
			.thenApply(OrderReply::toResponse);
	}

	private CompletionStage<OrderView> place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		KeysInProgress.Work work = this.keysInProgress.begin(request.id());
		try {
			return this.keys.find(request.id(), request.mode())
				.thenCompose((use) -> use.isDispatchNeeded(request, key) ? dispatch(request)
						: CompletableFuture.completedStage(OrderReply.accepted(request.id())))
				.whenComplete((_, _) -> work.close());
		}
		catch (RuntimeException | Error ex) {
			work.close();
			throw ex;
		}
	}

	private CompletionStage<OrderView> dispatch(OrderRequest request) {
		return switch (request.mode()) {
			case SYNC ->
				this.dispatch.deliver(request.order()).thenApply((result) -> this.outcomes.publish(request, result));
			case QUEUED -> this.dispatch.enqueue(request.order());
		};
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> status(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return callBlocking(() -> OrderReply.found(this.statuses.find(order)));
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderPage>> list(@RequestParam MultiValueMap<String, String> parameters) {
		PageQuery query = PageQuery.parse(parameters);
		return callBlocking(() -> OrderReply.list(this.statuses.list(query)));
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> redeliver(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return callBlocking(() -> new OrderReply(this.statuses.redeliver(order), "").toResponse());
	}

	/**
	 * Runs a call that blocks, a look-up over JDBC, on a virtual thread. The limit on
	 * requests in progress bounds their number.
	 */
	private static <T> CompletableFuture<T> callBlocking(Supplier<T> call) {
		return CompletableFuture.supplyAsync(call, (task) -> Thread.ofVirtual().name("lookup").start(task));
	}

}
