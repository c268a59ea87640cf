package dev.sluice.gateway.order;

import java.util.concurrent.CancellationException;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OrderRequest.Preference;
import dev.sluice.gateway.core.web.OrderRequests;
import dev.sluice.gateway.status.OrderStatuses;
import dev.sluice.gateway.status.Waiters;
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
 * its acknowledgement.
 */
@RestController
record OrderController(OrderRequests requests, OrderPlacement placement, Waiters waiters, OrderStatuses statuses,
		OrderMetrics metrics) {

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> place(HttpEntity<byte[]> http) {
		Preference preference = this.requests.preference(http.getHeaders());
		OrderMetrics.Timing timing = this.metrics.begin(preference.mode());
		return Mono.fromSupplier(() -> this.requests.read(preference, http))
			.flatMap(this::place)
			.doOnSuccess((_) -> timing.end(null))
			.doOnError(timing::end)
			.doOnCancel(() -> timing.end(new CancellationException()))
			.map(OrderReply::toResponse);
	}

	private Mono<OrderReply> place(OrderRequest request) {
		// While the client waits, its key is not in progress: the order is accepted.
		return this.placement.place(request)
			.flatMap((order) -> request.waitsForOutcome() ? this.waiters.untilSaved(request)
					: Mono.just(OrderReply.to(request, order)));
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
