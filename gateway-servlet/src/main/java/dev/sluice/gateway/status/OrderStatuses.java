package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusProblem;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.web.ServletProperties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * How far an order has come. PostgreSQL knows of every order, a moment late; Kafka knows
 * those that PostgreSQL does not know yet; the backend knows those that it has saved.
 * {@link RecentOrder} says who is believed. An answer takes at most twice
 * {@code status.timeout}. {@code @ThreadSafe}.
 */
@Component
public final class OrderStatuses {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

	private final StatusProperties properties;

	private final ServletProperties.Threads threads;

	private final StatusRepository table;

	private final StatusGuard guard;

	private final RecentOrders accepted;

	private final BackendClient backend;

	private final OutcomePublisher outcomes;

	public OrderStatuses(StatusProperties properties, ServletProperties servlet, StatusRepository table,
			StatusGuard guard, RecentOrders accepted, BackendClient backend, OutcomePublisher outcomes) {
		this.properties = properties;
		this.threads = servlet.threads();
		this.table = table;
		this.guard = guard;
		this.accepted = accepted;
		this.backend = backend;
		this.outcomes = outcomes;
	}

	/**
	 * Looks an order up.
	 * @param id the order's id
	 * @return the order; fails with {@link ProblemException} if nobody was given the id,
	 * or those who would know cannot be asked
	 */
	public CompletionStage<OrderView> find(UUID id) {
		long deadlineNanos = System.nanoTime() + 2 * this.properties.timeout().toNanos();
		return read(id, this.properties.timeout())
			.handle((row, failure) -> (row == null) ? notRead(id, failure, deadlineNanos)
					: row.map((found) -> found(id, found, deadlineNanos)).orElseGet(() -> notFound(id, deadlineNanos)))
			.thenCompose(Function.identity());
	}

	private CompletionStage<Optional<StatusRow>> read(UUID id, Duration limit) {
		return this.guard.askHere(limit, () -> this.table.find(id));
	}

	/** A failed order may be saved nevertheless, and then everybody is told so. */
	private CompletionStage<OrderView> found(UUID id, StatusRow row, long deadlineNanos) {
		RecentOrder known = RecentOrder.of(id, this.accepted);
		OrderView view = known.beside(row);
		if (view.status() != OrderStatus.FAILED) {
			return CompletableFuture.completedFuture(view);
		}
		return askBackend(id, deadlineNanos).thenApply((answer) -> {
			if (!(answer instanceof BackendResult.Saved(SavedOrder order))) {
				return view;
			}
			this.outcomes.publish(id, row.customerId(), order.savedAt(), null);
			return known.atBackend(order, view);
		});
	}

	/** Kafka is read up to its end before anybody is told that there is no such order. */
	private CompletionStage<OrderView> notFound(UUID id, long deadlineNanos) {
		OrderView view = RecentOrder.of(id, this.accepted).alone();
		if (view != null) {
			return CompletableFuture.completedFuture(view);
		}
		Duration limit = this.properties.timeout().dividedBy(2);
		return this.threads.await(this.accepted.caughtUp(limit)).thenCompose((reading) -> {
			RecentOrder known = RecentOrder.of(id, this.accepted);
			OrderView now = known.alone();
			return (now != null) ? CompletableFuture.completedFuture(now)
					: askBackend(id, deadlineNanos)
						.thenCompose((answer) -> (answer instanceof BackendResult.Saved(SavedOrder order))
								? CompletableFuture.completedFuture(known.atBackend(order))
								: readAgain(id, reading, answer, deadlineNanos));
		});
	}

	/** The order may have gone from Kafka's part into PostgreSQL in between. */
	private CompletionStage<OrderView> readAgain(UUID id, Reading reading, BackendResult answer, long deadlineNanos) {
		return read(id, left(deadlineNanos)).handle((row, _) -> {
			if (row == null) {
				throw StatusProblem.unavailable(id);
			}
			return row.map((found) -> RecentOrder.of(id, this.accepted).beside(found))
				.orElseThrow(() -> StatusProblem.unknown(id, reading, answer));
		});
	}

	/** The backend may know better than Kafka. */
	private CompletionStage<OrderView> notRead(UUID id, @Nullable Throwable failure, long deadlineNanos) {
		logger.debug("The status of order {} cannot be read", id, failure);
		RecentOrder known = RecentOrder.of(id, this.accepted);
		OrderView view = known.alone();
		if (view != null && view.status() == OrderStatus.SAVED) {
			return CompletableFuture.completedFuture(view);
		}
		return askBackend(id, deadlineNanos).thenApply((answer) -> {
			if (answer instanceof BackendResult.Saved(SavedOrder order)) {
				return known.atBackend(order);
			}
			if (view == null) {
				throw StatusProblem.unavailable(id);
			}
			return view;
		});
	}

	private CompletionStage<BackendResult> askBackend(UUID id, long deadlineNanos) {
		Duration left = left(deadlineNanos);
		return this.backend.find(id,
				(left.compareTo(this.properties.timeout()) < 0) ? left : this.properties.timeout());
	}

	private static Duration left(long deadlineNanos) {
		return Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
	}

}
