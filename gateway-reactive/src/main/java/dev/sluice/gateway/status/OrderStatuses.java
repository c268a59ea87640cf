package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusProblem;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.status.StoredOrder;
import dev.sluice.gateway.queue.OrderQueue;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Looks up the status of an order and what its key was used for, lists failed orders and
 * redelivers them. PostgreSQL knows every order, with a delay; Kafka knows those that
 * PostgreSQL does not know yet; the backend knows those that it has saved.
 * {@link RecentOrder} gives the order of precedence. A status takes at most twice
 * {@code status.timeout}.
 */
@Component
public record OrderStatuses(StatusProperties properties, StatusRepository repository, RecentOrders recent,
		BackendClient backend, OutcomePublisher outcomes, KeysInProgress keysInProgress, OrderCodec codec,
		OrderQueue queue, MeterRegistry meters) {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

	/**
	 * Looks up an order.
	 * @param id the order's id
	 * @return the order; fails with {@link ProblemException} if no client was given the
	 * id, or if a source that may know it does not answer
	 */
	public Mono<OrderView> find(UUID id) {
		return Mono.defer(() -> {
			long deadlineNanos = System.nanoTime() + 2 * this.properties.timeout().toNanos();
			return this.repository.find(id, this.properties.timeout())
				.map((row) -> found(id, row, deadlineNanos))
				.onErrorResume(StatusUnavailableException.class, (_) -> Mono.just(notRead(id, deadlineNanos)))
				.switchIfEmpty(Mono.fromSupplier(() -> notFound(id, deadlineNanos)))
				.flatMap((view) -> view);
		});
	}

	/** The backend may have saved an order that failed; then publishes its outcome. */
	private Mono<OrderView> found(UUID id, StatusRow row, long deadlineNanos) {
		RecentOrder known = RecentOrder.of(id, this.recent);
		OrderView view = known.mergedWith(row);
		return checked(known, view, deadlineNanos).doOnNext((now) -> {
			if (view.status() == OrderStatus.FAILED && now.status() == OrderStatus.SAVED) {
				this.outcomes.publish(id, row.customerId(), Objects.requireNonNull(now.updatedAt()), null);
			}
		});
	}

	/** Asks the backend where it may know better, for its answer is the last word. */
	private Mono<OrderView> checked(RecentOrder known, OrderView view, long deadlineNanos) {
		boolean unsure = switch (view.status()) {
			case ACCEPTED, RETRYING -> this.recent.isProjectionBehind();
			case FAILED -> true;
			case SAVED -> false;
		};
		return !unsure ? Mono.just(view)
				: askBackend(view.id(), deadlineNanos).mapNotNull((result) -> known.atBackend(result, view));
	}

	/** Reads Kafka up to its end before it reports that there is no such order. */
	private Mono<OrderView> notFound(UUID id, long deadlineNanos) {
		Duration limit = this.properties.timeout().dividedBy(2);
		return inKafka(RecentOrder.of(id, this.recent), deadlineNanos)
			.switchIfEmpty(Mono.fromFuture(() -> RecentOrder.caughtUp(id, this.recent, limit))
				.flatMap((known) -> inKafka(known, deadlineNanos)
					.switchIfEmpty(Mono.defer(() -> atBackend(id, known.reading(), deadlineNanos)))));
	}

	private Mono<OrderView> inKafka(RecentOrder known, long deadlineNanos) {
		OrderView view = known.alone();
		return (view != null) ? checked(known, view, deadlineNanos) : Mono.empty();
	}

	private Mono<OrderView> atBackend(UUID id, Reading reading, long deadlineNanos) {
		return askBackend(id, deadlineNanos)
			.flatMap((result) -> Mono.justOrEmpty(RecentOrder.of(id, this.recent).atBackend(result, null))
				.switchIfEmpty(Mono.defer(() -> readAgain(id, reading, result, deadlineNanos))));
	}

	/**
	 * Meanwhile the order may have reached PostgreSQL and been forgotten by the gateway.
	 */
	private Mono<OrderView> readAgain(UUID id, Reading reading, BackendResult result, long deadlineNanos) {
		return this.repository.find(id, left(deadlineNanos))
			.onErrorMap(StatusUnavailableException.class, (_) -> StatusProblem.unavailable(id))
			.map((row) -> RecentOrder.of(id, this.recent).mergedWith(row))
			.switchIfEmpty(Mono.error(() -> StatusProblem.unknown(id, reading, result)));
	}

	/** The backend may know better than Kafka. */
	private Mono<OrderView> notRead(UUID id, long deadlineNanos) {
		RecentOrder known = RecentOrder.of(id, this.recent);
		OrderView view = known.alone();
		if (view != null && view.status() == OrderStatus.SAVED) {
			return Mono.just(view);
		}
		return askBackend(id, deadlineNanos).mapNotNull((result) -> known.atBackend(result, view))
			.switchIfEmpty(Mono.error(() -> StatusProblem.unavailable(id)));
	}

	/**
	 * Lists failed orders, the earliest failed first.
	 * @return the page; fails with {@link StatusUnavailableException} if PostgreSQL does
	 * not answer
	 */
	public Mono<OrderPage> list(PageQuery query) {
		return this.repository.failed(query, this.properties.timeout()).map(query::page);
	}

	/**
	 * Enqueues a failed order for redelivery, under its id and with the payload that
	 * PostgreSQL keeps; completes when Kafka has it. Two redeliveries of one order have
	 * one effect, because the backend saves an id once. PostgreSQL and the backend
	 * together have {@code status.timeout}.
	 * @param id the order's id
	 * @return the order, accepted; fails with {@link ProblemException} if the order has
	 * not failed or is saved, or Kafka does not answer, and with
	 * {@link StatusUnavailableException} if PostgreSQL does not
	 */
	public Mono<OrderView> redeliver(UUID id) {
		return Mono.using(() -> this.keysInProgress.begin(id), (_) -> enqueueAgain(id), KeysInProgress.Work::close);
	}

	private Mono<OrderView> enqueueAgain(UUID id) {
		long deadlineNanos = System.nanoTime() + this.properties.timeout().toNanos();
		return this.repository.stored(id, this.properties.timeout())
			// If another source knows the order, it has not failed; otherwise it is not
			// found.
			.switchIfEmpty(Mono.defer(() -> find(id)).map((_) -> {
				throw StoredOrder.notFailed(id);
			}))
			.flatMap((stored) -> enqueueAgain(id, stored, deadlineNanos));
	}

	private Mono<OrderView> enqueueAgain(UUID id, StoredOrder stored, long deadlineNanos) {
		ValidOrder order = stored.forRedelivery(id, this.recent, this.codec);
		// The backend may have saved it although it failed.
		return askBackend(id, deadlineNanos).flatMap((result) -> {
			if (result instanceof BackendResult.Saved(SavedOrder saved)) {
				this.outcomes.publish(id, stored.customerId(), saved.savedAt(), null);
				throw StoredOrder.isSaved(id);
			}
			return this.queue.enqueue(order);
		});
	}

	/**
	 * Looks up what a key was used for: first in Kafka, up to its end, then in
	 * PostgreSQL, each for at most {@link StatusProperties#keyLookupLimit}.
	 * @param id the id derived from the key
	 * @param mode the mode of the order that has the key now
	 */
	public Mono<KeyUse> keyUse(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return Mono.just(new KeyUse.Unused());
		}
		return Mono.defer(() -> {
			long startNanos = System.nanoTime();
			Duration limit = this.properties.keyLookupLimit(mode);
			return Mono.fromFuture(() -> RecentOrder.caughtUp(id, this.recent, limit))
				.flatMap((inKafka) -> this.repository.keyUse(id, limit)
					.singleOptional()
					.map((inTable) -> KeyUse.of(inKafka, inTable))
					.onErrorResume(StatusUnavailableException.class, (_) -> Mono.just(KeyUse.of(inKafka, null)))
					.onErrorResume((_) -> mode == Mode.QUEUED, (bug) -> {
						// A queued order needs only Kafka.
						logger.error("Whether order {} was accepted before cannot be read because of a bug", id, bug);
						return Mono.just(KeyUse.of(inKafka, null));
					}))
				.doOnNext((use) -> use.record(this.meters, System.nanoTime() - startNanos));
		});
	}

	private Mono<BackendResult> askBackend(UUID id, long deadlineNanos) {
		Duration left = left(deadlineNanos);
		return this.backend.find(id,
				(left.compareTo(this.properties.timeout()) < 0) ? left : this.properties.timeout());
	}

	private static Duration left(long deadlineNanos) {
		return Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
	}

}
