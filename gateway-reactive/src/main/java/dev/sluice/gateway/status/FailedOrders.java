package dev.sluice.gateway.status;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.PageQuery;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.queue.OrderQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * The orders that failed: lists them, and has one delivered again, under its id and with
 * the payload that the projection keeps of it. Two redeliveries of one order make one
 * effect, as the backend saves an id once. The backend is asked first, because it may
 * have the order although it failed. Needs PostgreSQL. {@code @ThreadSafe}.
 */
@Component
public final class FailedOrders {

	private static final Logger logger = LoggerFactory.getLogger(FailedOrders.class);

	private final StatusProperties properties;

	private final StatusRepository table;

	private final StatusGuard guard;

	private final OrderStatuses statuses;

	private final RecentOrders accepted;

	private final BackendClient backend;

	private final OutcomePublisher outcomes;

	private final OrderCodec codec;

	private final OrderQueue queue;

	public FailedOrders(StatusProperties properties, StatusRepository table, StatusGuard guard, OrderStatuses statuses,
			RecentOrders accepted, BackendClient backend, OutcomePublisher outcomes, OrderCodec codec,
			OrderQueue queue) {
		this.properties = properties;
		this.table = table;
		this.guard = guard;
		this.statuses = statuses;
		this.accepted = accepted;
		this.backend = backend;
		this.outcomes = outcomes;
		this.codec = codec;
		this.queue = queue;
	}

	/**
	 * Lists orders.
	 * @param query which
	 * @return some of them, the earliest failed first; fails with
	 * {@link ProblemException} if PostgreSQL does not answer
	 */
	public Mono<OrderPage> list(PageQuery query) {
		return ask(this.table.failed(query, query.limit() + 1)).map((rows) -> page(query, rows));
	}

	private static OrderPage page(PageQuery query, List<OrderView> oneMore) {
		if (oneMore.size() <= query.limit()) {
			return new OrderPage(oneMore, null);
		}
		List<OrderView> orders = oneMore.subList(0, query.limit());
		return new OrderPage(orders, PageQuery.cursorAfter(orders.getLast()));
	}

	/**
	 * Has an order delivered again.
	 * @param id the order's id
	 * @return when Kafka had it; fails with {@link ProblemException} if it has not failed
	 * or is saved, or PostgreSQL or Kafka does not answer
	 */
	public Mono<Instant> redeliver(UUID id) {
		return Mono.defer(() -> {
			long deadlineNanos = System.nanoTime() + this.properties.timeout().toNanos();
			return ask(this.table.stored(id)).flatMap((row) -> redeliver(id, row, deadlineNanos))
				// Who else knows it says that it has not failed; else it is not found.
				.switchIfEmpty(Mono.defer(() -> this.statuses.find(id)).map((order) -> {
					throw notRedeliverable("Order " + id + " has not failed.");
				}));
		});
	}

	private Mono<Instant> redeliver(UUID id, StatusRepository.Stored order, long deadlineNanos) {
		if (order.status() != OrderStatus.FAILED || this.accepted.syncSave(id) != null) {
			throw notRedeliverable("Order " + id + " has not failed.");
		}
		String payload = order.payload();
		if (payload == null) {
			throw notRedeliverable("What order " + id + " contained could not be read.");
		}
		byte[] json = payload.getBytes(StandardCharsets.UTF_8);
		Order again = decode(id, json);
		Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
		return this.backend.find(id, left).flatMap((answer) -> {
			if (answer instanceof BackendResult.Saved(SavedOrder saved)) {
				this.outcomes.publish(id, order.customerId(), saved.savedAt(), null);
				throw notRedeliverable("Order " + id + " is saved.");
			}
			Fingerprint fingerprint = OrderIds.isDerived(id) ? Fingerprint.ofJson(json) : null;
			return this.queue.enqueue(id, again, json, fingerprint, null);
		});
	}

	/** Whoever wrote it into Kafka may have had other rules. */
	private Order decode(UUID id, byte[] json) {
		try {
			return this.codec.decode(json);
		}
		catch (ProblemException ex) {
			throw notRedeliverable("Order " + id + " is not valid.");
		}
	}

	private <T> Mono<T> ask(Mono<T> question) {
		return this.guard.ask(this.properties.timeout(), question).onErrorMap((failure) -> {
			logger.debug("The failed orders cannot be read", failure);
			return new ProblemException(ProblemType.STATUS_UNAVAILABLE, "The status store does not answer.", Placed.NO);
		});
	}

	private static ProblemException notRedeliverable(String detail) {
		return new ProblemException(ProblemType.NOT_REDELIVERABLE, detail);
	}

}
