package dev.sluice.gateway.async;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OrderRequest.Preference;
import dev.sluice.gateway.core.web.OrderRequests;
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import dev.sluice.gateway.status.OrderStatuses;
import dev.sluice.gateway.status.Waiters;
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
record AsyncOrderController(OrderRequests requests, AsyncOrderPlacement placement, Waiters waiters,
		OrderStatuses statuses, OrderMetrics metrics) {

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> place(HttpEntity<byte[]> http,
			@RequestAttribute(GuardedHttp11Processor.ATTRIBUTE) GuardedHttp11Processor connection) {
		Preference preference = this.requests.preference(http.getHeaders());
		OrderMetrics.Timing timing = this.metrics.begin(preference.mode());
		return CompletableFuture.completedStage(http)
			.thenApply((order) -> this.requests.read(preference, order))
			.thenCompose((request) -> place(request, connection))
			.whenComplete((_, failure) -> timing.end((failure != null) ? AsyncBackendClient.cause(failure) : null))
			.thenApply(OrderReply::toResponse);
	}

	private CompletionStage<OrderReply> place(OrderRequest request, GuardedHttp11Processor connection) {
		// While the client waits, its key is not in progress: the order is accepted.
		return this.placement.place(request)
			.thenCompose((order) -> request.waitsForOutcome()
					? AsyncOrderPlacement
						.callBlocking(() -> this.waiters.untilSaved(request, connection::isDisconnected))
					: CompletableFuture.completedStage(OrderReply.to(request, order)));
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> status(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return AsyncOrderPlacement.callBlocking(() -> OrderReply.found(this.statuses.find(order)));
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderPage>> list(@RequestParam MultiValueMap<String, String> parameters) {
		PageQuery query = PageQuery.parse(parameters);
		return AsyncOrderPlacement.callBlocking(() -> OrderReply.list(this.statuses.list(query)));
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	CompletionStage<ResponseEntity<OrderView>> redeliver(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return AsyncOrderPlacement.callBlocking(() -> new OrderReply(this.statuses.redeliver(order), "").toResponse());
	}

}
