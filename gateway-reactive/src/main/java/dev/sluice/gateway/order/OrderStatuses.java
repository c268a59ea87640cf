package dev.sluice.gateway.order;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Semaphore;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.limit.KeysInProgress;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.OutcomeWait;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Looks up the status of an order, waits for an order to be saved, lists failed orders
 * and redelivers them. PostgreSQL knows every order, with a delay; Kafka knows those that
 * PostgreSQL does not know yet; the backend knows those that it has saved.
 * {@link RecentOrder} gives the order of precedence. A status takes at most twice
 * {@code status.timeout}.
 */
@Component
record OrderStatuses(StatusProperties properties, StatusRepository repository, RecentOrders recent,
		BackendClient backend, OutcomePublisher outcomes, KeysInProgress keysInProgress, OrderCodec codec,
		OrderQueue queue, Semaphore waiters) {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

	/**
	 * Looks up an order.
	 * @param id the order's id
	 * @return the order; fails with {@link ProblemException} if no client was given the
	 * id, or if a source that may know it does not answer
	 */
	Mono<OrderView> find(UUID id) {
		return Mono.defer(() -> {
			long deadlineNanos = this.properties.deadlineNanos();
			return look(id, deadlineNanos).flatMap((known) -> checked(known, deadlineNanos));
		});
	}

	/** Reads Kafka up to its end before it takes an order for unknown. */
	private Mono<RecentOrder> look(UUID id, long deadlineNanos) {
		return inTable(RecentOrder.of(id, this.recent), this.properties.left(deadlineNanos), true)
			.flatMap((known) -> !known.isNowhere() ? Mono.just(known)
					: Mono
						.fromFuture(() -> RecentOrder.caughtUp(id, this.recent, this.properties.timeout().dividedBy(2)))
						.flatMap((read) -> inTable(read, this.properties.left(deadlineNanos), true)));
	}

	private Mono<OrderView> checked(RecentOrder known, long deadlineNanos) {
		OrderView view = known.sureView(this.recent);
		return (view != null) ? Mono.just(view) : this.backend.find(known.id(), this.properties.left(deadlineNanos))
			.map((result) -> known.atBackend(result, this.outcomes));
	}

	/**
	 * Adds what PostgreSQL has, if it answers.
	 * @param needed false if the request can do without it, even if a bug is why it does
	 * not answer
	 */
	private Mono<RecentOrder> inTable(RecentOrder known, Duration limit, boolean needed) {
		return this.repository.find(known.id(), limit)
			.singleOptional()
			.map(known::with)
			.onErrorReturn(ProblemException.class, known)
			.onErrorResume((_) -> !needed, (bug) -> {
				logger.error("PostgreSQL cannot be asked because of a bug", bug);
				return Mono.just(known);
			});
	}

	/**
	 * Lists failed orders, the earliest failed first.
	 * @return the page; fails with {@link ProblemException} if PostgreSQL does not answer
	 */
	Mono<OrderPage> list(PageQuery query) {
		return this.repository.failed(query, this.properties.timeout()).map(query::page);
	}

	/**
	 * Enqueues a failed order for redelivery, under its id and with the payload that
	 * PostgreSQL keeps; completes when Kafka has it. Two redeliveries of one order have
	 * one effect, because the backend saves an id once.
	 * @param id the order's id
	 * @return the order, accepted; fails with {@link ProblemException} if the order has
	 * not failed or is saved, or if PostgreSQL or Kafka does not answer
	 */
	Mono<OrderView> redeliver(UUID id) {
		return Mono.using(() -> this.keysInProgress.begin(id), (_) -> {
			long deadlineNanos = this.properties.deadlineNanos();
			return look(id, deadlineNanos).flatMap((known) -> checked(known, deadlineNanos)
				.flatMap((now) -> this.queue.enqueue(known.forRedelivery(now, this.codec))));
		}, KeysInProgress.Work::close);
	}

	/**
	 * Waits for a queued order to be saved ({@code Prefer: wait=n}) by polling
	 * PostgreSQL. At most {@code sluice.max-waiters} requests wait; further ones do not.
	 * @param request the request that queued the order
	 * @return the reply, whether the order is saved or not; fails with
	 * {@link ProblemException} if another order is saved under its key
	 */
	Mono<OrderReply> untilSaved(OrderRequest request) {
		return Mono.defer(() -> {
			OutcomeWait wait = new OutcomeWait(request, System.nanoTime());
			if (!this.waiters.tryAcquire()) {
				return Mono.just(wait.notWaited());
			}
			return check(wait)
				.repeatWhenEmpty((checks) -> checks.concatMap((_) -> Mono.delay(wait.nextPause(System.nanoTime()))))
				.doFinally((_) -> this.waiters.release());
		});
	}

	/** The order has been accepted, and the answer says so whatever fails. */
	private Mono<OrderReply> check(OutcomeWait wait) {
		return Mono
			.defer(() -> inTable(RecentOrder.of(wait.request().id(), this.recent), this.properties.timeout(), false))
			.mapNotNull((order) -> wait.check(order.row(), System.nanoTime()));
	}

}
