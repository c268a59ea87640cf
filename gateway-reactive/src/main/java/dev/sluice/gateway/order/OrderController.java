package dev.sluice.gateway.order;

import java.util.concurrent.CancellationException;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.BackendClient;
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
import org.springframework.http.HttpEntity;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * The API. Everything runs on the event loops, except sending to Kafka and what follows
 * its acknowledgement. An order is delivered to the backend or put into Kafka, once for
 * an idempotency key.
 */
@RestController
record OrderController(OrderRequests requests, KeysInProgress keysInProgress, BackendClient backend, OrderQueue queue,
		OutcomePublisher outcomes, KeyLookups keys, OrderStatuses statuses, OrderMetrics metrics) {

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> place(HttpEntity<byte[]> http) {
		Prefer prefer = this.requests.prefer(http.getHeaders());
		OrderMetrics.Timing timing = this.metrics.begin(prefer.mode());
		return Mono.fromSupplier(() -> this.requests.read(prefer, http))
			// While the client waits, its key is not in progress: the order is accepted.
			.flatMap((request) -> place(request).flatMap((order) -> request.waitsForOutcome()
					? this.statuses.untilSaved(request) : Mono.just(OrderReply.to(request, order, false))))
			.doOnSuccess((_) -> timing.end(null))
			.doOnError(timing::end)
			.doOnCancel(() -> timing.end(new CancellationException()))
			.map(OrderReply::toResponse);
	}

	private Mono<OrderView> place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		return Mono.using(() -> this.keysInProgress.begin(request.id()),
				(_) -> Mono.fromFuture(this.keys.find(request.id(), request.mode()))
					.flatMap((use) -> use.isDispatchNeeded(request, key) ? dispatch(request)
							: Mono.just(OrderReply.accepted(request.id()))),
				KeysInProgress.Work::close);
	}

	private Mono<OrderView> dispatch(OrderRequest request) {
		return switch (request.mode()) {
			case SYNC -> this.backend.deliver(request.order()).map((result) -> this.outcomes.publish(request, result));
			case QUEUED -> this.queue.enqueue(request.order());
		};
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> status(@PathVariable String id) {
		return this.statuses.find(OrderIds.parse(id)).map(OrderReply::found);
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderPage>> list(@RequestParam MultiValueMap<String, String> parameters) {
		return this.statuses.list(PageQuery.parse(parameters)).map(OrderReply::list);
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> redeliver(@PathVariable String id) {
		return this.statuses.redeliver(OrderIds.parse(id)).map((order) -> new OrderReply(order, "").toResponse());
	}

}
