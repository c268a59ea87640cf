package dev.sluice.gateway.order;

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
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
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
 * The API with {@code platform} and {@code virtual} threads: the request's thread waits
 * for the answer. An order is delivered to the backend or put into Kafka, once for an
 * idempotency key.
 */
@RestController
@ConditionalOnExpression("!'async'.equalsIgnoreCase('${sluice.threads:}')")
record OrderController(OrderRequests requests, KeysInProgress keysInProgress, BackendClient backend, OrderQueue queue,
		OutcomePublisher outcomes, KeyLookups keys, OrderStatuses statuses, OrderMetrics metrics) {

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	ResponseEntity<OrderView> place(HttpEntity<byte[]> http,
			@RequestAttribute(GuardedHttp11Processor.ATTRIBUTE) GuardedHttp11Processor connection) {
		Prefer prefer = this.requests.prefer(http.getHeaders());
		OrderMetrics.Timing timing = this.metrics.begin(prefer.mode());
		try {
			OrderRequest request = this.requests.read(prefer, http);
			OrderView order = place(request);
			// While the client waits, its key is not in progress: the order is accepted.
			OrderReply reply = request.waitsForOutcome() ? this.statuses.untilSaved(request, connection::isDisconnected)
					: OrderReply.to(request, order, false);
			timing.end(null);
			return reply.toResponse();
		}
		catch (RuntimeException | Error ex) {
			timing.end(ex);
			throw ex;
		}
	}

	private OrderView place(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key == null) {
			return dispatch(request);
		}
		try (KeysInProgress.Work _ = this.keysInProgress.begin(request.id())) {
			boolean needed = this.keys.find(request.id(), request.mode()).join().isDispatchNeeded(request, key);
			return needed ? dispatch(request) : OrderReply.accepted(request.id());
		}
	}

	private OrderView dispatch(OrderRequest request) {
		return switch (request.mode()) {
			case SYNC -> this.outcomes.publish(request, this.backend.deliver(request.order()));
			case QUEUED -> this.queue.enqueue(request.order());
		};
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	ResponseEntity<OrderView> status(@PathVariable String id) {
		return OrderReply.found(this.statuses.find(OrderIds.parse(id)));
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	ResponseEntity<OrderPage> list(@RequestParam MultiValueMap<String, String> parameters) {
		return OrderReply.list(this.statuses.list(PageQuery.parse(parameters)));
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	ResponseEntity<OrderView> redeliver(@PathVariable String id) {
		return new OrderReply(this.statuses.redeliver(OrderIds.parse(id)), "").toResponse();
	}

}
