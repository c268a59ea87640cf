package dev.sluice.gateway.order;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.limit.ClientLimit;
import dev.sluice.gateway.core.metrics.OrderMetrics;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.Traceparent;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.StatusProblem;
import dev.sluice.gateway.edge.BodyReader;
import dev.sluice.gateway.edge.ClientConnection;
import dev.sluice.gateway.edge.ReceivedBody;
import dev.sluice.gateway.queue.OrderQueue;
import dev.sluice.gateway.status.FailedOrders;
import dev.sluice.gateway.status.KeyLookup;
import dev.sluice.gateway.status.OrderStatuses;
import dev.sluice.gateway.status.Waiters;
import dev.sluice.gateway.web.ServletProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The API: an order comes in here and is answered from here. With {@code platform} and
 * {@code virtual} threads the request's thread waits for the answer; with {@code async}
 * the container gets a future and its thread back.
 */
@RestController
final class OrderController {

	private static final String RETRY_AFTER_SECONDS = "1";

	private final GatewayProperties properties;

	private final ServletProperties.Threads threads;

	private final OrderCodec codec;

	private final ClientLimit clientLimit;

	private final OrderIds ids;

	private final InFlight inFlight;

	private final KeyLookup keys;

	private final BackendClient backend;

	private final OrderQueue queue;

	private final Waiters waiters;

	private final OutcomePublisher outcomes;

	private final OrderStatuses statuses;

	private final FailedOrders failed;

	private final OrderMetrics metrics;

	OrderController(GatewayProperties properties, ServletProperties servlet, OrderCodec codec, ClientLimit clientLimit,
			OrderIds ids, InFlight inFlight, KeyLookup keys, BackendClient backend, OrderQueue queue, Waiters waiters,
			OutcomePublisher outcomes, OrderStatuses statuses, FailedOrders failed, OrderMetrics metrics) {
		this.properties = properties;
		this.threads = servlet.threads();
		this.codec = codec;
		this.clientLimit = clientLimit;
		this.ids = ids;
		this.inFlight = inFlight;
		this.keys = keys;
		this.backend = backend;
		this.queue = queue;
		this.waiters = waiters;
		this.outcomes = outcomes;
		this.statuses = statuses;
		this.failed = failed;
		this.metrics = metrics;
	}

	@PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE,
			produces = MediaType.APPLICATION_JSON_VALUE)
	Object place(@RequestHeader HttpHeaders headers, @RequestAttribute(BodyReader.BODY) ReceivedBody body,
			@RequestAttribute(name = ClientConnection.ATTRIBUTE,
					required = false) @Nullable ClientConnection connection) {
		Prefer prefer = Prefer.parse(headers.getOrEmpty(HttpNames.PREFER));
		Mode mode = prefer.mode(this.properties.defaultMode());
		OrderMetrics.Timing timing = this.metrics.begin(mode);
		CompletionStage<ResponseEntity<OrderView>> answer;
		try {
			answer = take(prefer, mode, headers, body, connection);
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return awaited(answer.whenComplete((_, failure) -> timing.end(unwrapped(failure))));
	}

	private CompletionStage<ResponseEntity<OrderView>> take(Prefer prefer, Mode mode, HttpHeaders headers,
			ReceivedBody body, @Nullable ClientConnection connection) {
		IdempotencyKey key = IdempotencyKey.parse(headers.getOrEmpty(HttpNames.IDEMPOTENCY_KEY));
		String traceparent = Traceparent.parse(headers.getOrEmpty(OrderHeaders.TRACEPARENT));
		Order order = this.codec.decode(body.bytes());
		byte[] json = this.codec.encode(order);
		this.clientLimit.check(order.customerId());
		UUID id = this.ids.idOf(order.customerId(), key);
		Placement placement = new Placement(id, order, json, key, (key != null) ? Fingerprint.ofJson(json) : null,
				traceparent, prefer, mode, connection);
		CompletionStage<Optional<SavedOrder>> placed = (key == null) ? dispatch(placement) : this.inFlight.during(id,
				() -> this.keys.find(id, mode).thenCompose((use) -> dispatchOnce(placement, key, use)));
		// A request that waits for the outcome has no key in progress: the order is
		// accepted.
		return placed
			.thenCompose((saved) -> saved.map((one) -> created(placement, one)).orElseGet(() -> accepted(placement)));
	}

	private CompletionStage<Optional<SavedOrder>> dispatchOnce(Placement order, IdempotencyKey key, KeyUse use) {
		return switch (use) {
			case KeyUse.Used(Fingerprint first) when !first.equals(order.fingerprint()) -> throw key.reused();
			case KeyUse.Used _ -> switch (order.mode()) {
				// The backend alone has the answer that it gave at first.
				case SYNC -> dispatch(order);
				case QUEUED -> CompletableFuture.completedFuture(Optional.empty());
			};
			case KeyUse.Unused _ -> dispatch(order);
			case KeyUse.Unknown _ -> switch (order.mode()) {
				// The backend would save it in place of an order that was accepted.
				case SYNC -> throw StatusProblem.keyNotKnown();
				// The consumer delivers the payload that is first in Kafka.
				case QUEUED -> dispatch(order);
			};
		};
	}

	/** Empty if the order is in Kafka. */
	private CompletionStage<Optional<SavedOrder>> dispatch(Placement order) {
		return switch (order.mode()) {
			case SYNC -> this.backend.deliver(order.id(), order.json(), order.traceparent())
				.thenApply((delivery) -> Optional.of(delivery.savedOrThrow(order.key())));
			case QUEUED ->
				this.queue.enqueue(order.id(), order.order(), order.json(), order.fingerprint(), order.traceparent())
					.thenApply((_) -> Optional.empty());
		};
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	Object status(@PathVariable String id) {
		return awaited(this.statuses.find(OrderIds.parse(id)).thenApply(OrderController::found));
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	Object list(@RequestParam MultiValueMap<String, String> parameters) {
		return awaited(this.failed.list(PageQuery.parse(parameters)).thenApply(ResponseEntity::ok));
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	Object redeliver(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return awaited(this.inFlight.during(order, () -> this.failed.redeliver(order))
			.thenApply((_) -> accepted(order).body(acceptedView(order))));
	}

	/** The same bytes for a repeat: the backend tells when it first saved the order. */
	private CompletionStage<ResponseEntity<OrderView>> created(Placement order, SavedOrder saved) {
		this.outcomes.publish(saved.id(), order.order().customerId(), saved.savedAt(), order.fingerprint());
		return CompletableFuture.completedFuture(ResponseEntity.created(location(saved.id()))
			.body(new OrderView(saved.id(), OrderStatus.SAVED, 1, null, saved.savedAt(), null)));
	}

	/** Waits for the outcome if the client would, and it may. */
	private CompletionStage<ResponseEntity<OrderView>> accepted(Placement order) {
		Duration wait = order.prefer().waitWithin(this.properties.maxWait());
		if (wait.isZero()) {
			return CompletableFuture.completedFuture(answered(order, Duration.ZERO));
		}
		return this.waiters.untilSaved(order.id(), wait, order::isClientGone).thenApply((end) -> switch (end) {
			case Waiters.End.Saved(OrderView saved) -> {
				ResponseEntity.BodyBuilder response = ResponseEntity.created(location(order.id()));
				apply(order.prefer().applied(wait), response);
				yield response.body(saved);
			}
			case Waiters.End.NotSaved() -> answered(order, wait);
			case Waiters.End.NotWaited() -> answered(order, Duration.ZERO);
		});
	}

	/** The same bytes for a repeat, at whatever gateway: nothing but the id is in it. */
	private static ResponseEntity<OrderView> answered(Placement order, Duration waited) {
		ResponseEntity.BodyBuilder response = accepted(order.id());
		apply(order.prefer().applied(waited), response);
		return response.body(acceptedView(order.id()));
	}

	private static ResponseEntity.BodyBuilder accepted(UUID id) {
		return ResponseEntity.accepted().location(location(id)).header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
	}

	private static OrderView acceptedView(UUID id) {
		return new OrderView(id, OrderStatus.ACCEPTED, 0, null, null, null);
	}

	private static void apply(String preferences, ResponseEntity.BodyBuilder response) {
		if (!preferences.isEmpty()) {
			response.header(HttpNames.PREFERENCE_APPLIED, preferences);
		}
	}

	private static ResponseEntity<OrderView> found(OrderView view) {
		return switch (view.status()) {
			case ACCEPTED, RETRYING ->
				ResponseEntity.ok().header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS).body(view);
			case SAVED, FAILED -> ResponseEntity.ok(view);
		};
	}

	private static URI location(UUID id) {
		return URI.create("/orders/" + id);
	}

	/** The future itself, or what it holds once it is there: each has a deadline. */
	private <T> Object awaited(CompletionStage<ResponseEntity<T>> answer) {
		return switch (this.threads) {
			case PLATFORM, VIRTUAL -> joined(answer.toCompletableFuture());
			case ASYNC -> answer;
		};
	}

	private static <T> ResponseEntity<T> joined(CompletableFuture<ResponseEntity<T>> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** An order that was read and found valid, and what its client wants of it. */
	private record Placement(UUID id, Order order, byte[] json, @Nullable IdempotencyKey key,
			@Nullable Fingerprint fingerprint, @Nullable String traceparent, Prefer prefer, Mode mode,
			@Nullable ClientConnection connection) {

		boolean isClientGone() {
			return this.connection != null && this.connection.isGone();
		}

	}

}
