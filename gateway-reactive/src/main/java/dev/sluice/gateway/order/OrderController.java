package dev.sluice.gateway.order;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderPage;
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
import dev.sluice.gateway.edge.Admission;
import dev.sluice.gateway.edge.BodyReader;
import dev.sluice.gateway.queue.OrderQueue;
import dev.sluice.gateway.status.FailedOrders;
import dev.sluice.gateway.status.KeyLookup;
import dev.sluice.gateway.status.OrderStatuses;
import dev.sluice.gateway.status.Waiters;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * The API: an order comes in here and is answered from here. Everything runs on the event
 * loops, but for sending to Kafka and what follows its acknowledgement.
 */
@RestController
final class OrderController {

	private static final String RETRY_AFTER_SECONDS = "1";

	private final GatewayProperties properties;

	private final OrderCodec codec;

	private final Admission admission;

	private final BodyReader bodies;

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

	OrderController(GatewayProperties properties, OrderCodec codec, Admission admission, BodyReader bodies,
			ClientLimit clientLimit, OrderIds ids, InFlight inFlight, KeyLookup keys, BackendClient backend,
			OrderQueue queue, Waiters waiters, OutcomePublisher outcomes, OrderStatuses statuses, FailedOrders failed,
			OrderMetrics metrics) {
		this.properties = properties;
		this.codec = codec;
		this.admission = admission;
		this.bodies = bodies;
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
	Mono<ResponseEntity<OrderView>> place(@RequestHeader HttpHeaders headers, ServerHttpRequest request) {
		Prefer prefer = Prefer.parse(headers.getOrEmpty(HttpNames.PREFER));
		Mode mode = prefer.mode(this.properties.defaultMode());
		OrderMetrics.Timing timing = this.metrics.begin(mode);
		return Mono.defer(() -> take(prefer, mode, headers, request))
			.doOnSuccess((_) -> timing.end(null))
			.doOnError(timing::end)
			.doOnCancel(() -> timing.end(new CancellationException()));
	}

	private Mono<ResponseEntity<OrderView>> take(Prefer prefer, Mode mode, HttpHeaders headers,
			ServerHttpRequest request) {
		IdempotencyKey key = IdempotencyKey.parse(headers.getOrEmpty(HttpNames.IDEMPOTENCY_KEY));
		String traceparent = Traceparent.parse(headers.getOrEmpty(OrderHeaders.TRACEPARENT));
		return this.admission.whileReading(this.bodies.read(request)).flatMap((body) -> {
			Order order = this.codec.decode(body);
			byte[] json = this.codec.encode(order);
			this.clientLimit.check(order.customerId());
			UUID id = this.ids.idOf(order.customerId(), key);
			Placement placement = new Placement(id, order, json, key, (key != null) ? Fingerprint.ofJson(json) : null,
					traceparent, prefer, mode);
			Mono<Optional<SavedOrder>> placed = (key == null) ? dispatch(placement) : this.inFlight.during(id,
					() -> this.keys.find(id, mode).flatMap((use) -> dispatchOnce(placement, key, use)));
			// Who waits for the outcome has no key in progress: the order is accepted.
			return placed
				.flatMap((saved) -> saved.map((one) -> created(placement, one)).orElseGet(() -> accepted(placement)));
		});
	}

	private Mono<Optional<SavedOrder>> dispatchOnce(Placement order, IdempotencyKey key, KeyUse use) {
		return switch (use) {
			case KeyUse.Used(Fingerprint first) when !first.equals(order.fingerprint()) -> throw key.reused();
			case KeyUse.Used _ -> switch (order.mode()) {
				// The backend alone has the answer that it gave at first.
				case SYNC -> dispatch(order);
				case QUEUED -> Mono.just(Optional.empty());
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
	private Mono<Optional<SavedOrder>> dispatch(Placement order) {
		return switch (order.mode()) {
			case SYNC -> this.backend.deliver(order.id(), order.json(), order.traceparent())
				.map((delivery) -> Optional.of(delivery.savedOrThrow(order.key())));
			case QUEUED ->
				this.queue.enqueue(order.id(), order.order(), order.json(), order.fingerprint(), order.traceparent())
					.map((_) -> Optional.empty());
		};
	}

	@GetMapping(path = "/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> status(@PathVariable String id) {
		return this.statuses.find(OrderIds.parse(id)).map(OrderController::found);
	}

	@GetMapping(path = "/orders", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderPage>> list(@RequestParam MultiValueMap<String, String> parameters) {
		return this.failed.list(PageQuery.parse(parameters)).map(ResponseEntity::ok);
	}

	@PostMapping(path = "/orders/{id}/redelivery", produces = MediaType.APPLICATION_JSON_VALUE)
	Mono<ResponseEntity<OrderView>> redeliver(@PathVariable String id) {
		UUID order = OrderIds.parse(id);
		return this.inFlight.during(order, () -> this.failed.redeliver(order))
			.map((_) -> accepted(order).body(acceptedView(order)));
	}

	/** The same bytes for a repeat: the backend tells when it first saved the order. */
	private Mono<ResponseEntity<OrderView>> created(Placement order, SavedOrder saved) {
		this.outcomes.publish(saved.id(), order.order().customerId(), saved.savedAt(), order.fingerprint());
		return Mono.just(ResponseEntity.created(location(saved.id()))
			.body(new OrderView(saved.id(), OrderStatus.SAVED, 1, null, saved.savedAt(), null)));
	}

	/** Waits for the outcome if the client would, and it may. */
	private Mono<ResponseEntity<OrderView>> accepted(Placement order) {
		Duration wait = order.prefer().waitWithin(this.properties.maxWait());
		if (wait.isZero()) {
			return Mono.just(answered(order, Duration.ZERO));
		}
		return this.waiters.untilSaved(order.id(), wait).map((end) -> switch (end) {
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

	/** An order that was read and found valid, and what its client wants of it. */
	private record Placement(UUID id, Order order, byte[] json, @Nullable IdempotencyKey key,
			@Nullable Fingerprint fingerprint, @Nullable String traceparent, Prefer prefer, Mode mode) {
	}

}
