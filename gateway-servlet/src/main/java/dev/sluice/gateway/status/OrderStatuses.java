package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.backend.BackendClient;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusProblem;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Looks up the status of an order. PostgreSQL knows every order, with a delay; Kafka
 * knows those that PostgreSQL does not know yet; the backend knows those that it has
 * saved. {@link RecentOrder} gives the order of precedence. An answer takes at most twice
 * {@code status.timeout}. Holds the calling thread.
 */
@Component
public final class OrderStatuses {

	private final StatusProperties properties;

	private final StatusRepository repository;

	private final RecentOrders recent;

	private final BackendClient backend;

	private final OutcomePublisher outcomes;

	OrderStatuses(StatusProperties properties, StatusRepository repository, RecentOrders recent, BackendClient backend,
			OutcomePublisher outcomes) {
		this.properties = properties;
		this.repository = repository;
		this.recent = recent;
		this.backend = backend;
		this.outcomes = outcomes;
	}

	/**
	 * Looks up an order.
	 * @param id the order's id
	 * @return the order
	 * @throws ProblemException if no client was given the id, or if a source that may
	 * know it does not answer
	 */
	public OrderView find(UUID id) {
		long deadlineNanos = System.nanoTime() + 2 * this.properties.timeout().toNanos();
		Optional<StatusRow> row;
		try {
			row = this.repository.find(id, this.properties.timeout());
		}
		catch (StatusUnavailableException _) {
			return notRead(id, deadlineNanos);
		}
		return row.isPresent() ? found(id, row.get(), deadlineNanos) : notFound(id, deadlineNanos);
	}

	/** The backend may have saved an order that failed; then publishes its outcome. */
	private OrderView found(UUID id, StatusRow row, long deadlineNanos) {
		RecentOrder known = RecentOrder.of(id, this.recent);
		OrderView view = known.mergedWith(row);
		OrderView now = checked(known, view, deadlineNanos);
		if (view.status() == OrderStatus.FAILED && now.status() == OrderStatus.SAVED) {
			this.outcomes.publish(id, row.customerId(), Objects.requireNonNull(now.updatedAt()), null);
		}
		return now;
	}

	/** Asks the backend where it may know better, for its answer is the last word. */
	private OrderView checked(RecentOrder known, OrderView view, long deadlineNanos) {
		boolean unsure = switch (view.status()) {
			case ACCEPTED, RETRYING -> this.recent.isProjectionBehind();
			case FAILED -> true;
			case SAVED -> false;
		};
		return unsure ? Objects.requireNonNull(known.atBackend(askBackend(view.id(), deadlineNanos), view)) : view;
	}

	/** Reads Kafka up to its end before it reports that there is no such order. */
	private OrderView notFound(UUID id, long deadlineNanos) {
		OrderView view = inKafka(RecentOrder.of(id, this.recent), deadlineNanos);
		if (view != null) {
			return view;
		}
		RecentOrder known = RecentOrder.caughtUp(id, this.recent, this.properties.timeout().dividedBy(2)).join();
		view = inKafka(known, deadlineNanos);
		if (view != null) {
			return view;
		}
		BackendResult result = askBackend(id, deadlineNanos);
		view = RecentOrder.of(id, this.recent).atBackend(result, null);
		return (view != null) ? view : readAgain(id, known.reading(), result, deadlineNanos);
	}

	private @Nullable OrderView inKafka(RecentOrder known, long deadlineNanos) {
		OrderView view = known.alone();
		return (view != null) ? checked(known, view, deadlineNanos) : null;
	}

	/**
	 * Meanwhile the order may have reached PostgreSQL and been forgotten by the gateway.
	 */
	private OrderView readAgain(UUID id, Reading reading, BackendResult result, long deadlineNanos) {
		Optional<StatusRow> row;
		try {
			row = this.repository.find(id, left(deadlineNanos));
		}
		catch (StatusUnavailableException _) {
			throw StatusProblem.unavailable(id);
		}
		return row.map((found) -> RecentOrder.of(id, this.recent).mergedWith(found))
			.orElseThrow(() -> StatusProblem.unknown(id, reading, result));
	}

	/** The backend may know better than Kafka. */
	private OrderView notRead(UUID id, long deadlineNanos) {
		RecentOrder known = RecentOrder.of(id, this.recent);
		OrderView view = known.alone();
		if (view != null && view.status() == OrderStatus.SAVED) {
			return view;
		}
		view = known.atBackend(askBackend(id, deadlineNanos), view);
		if (view == null) {
			throw StatusProblem.unavailable(id);
		}
		return view;
	}

	private BackendResult askBackend(UUID id, long deadlineNanos) {
		Duration left = left(deadlineNanos);
		return this.backend.find(id,
				(left.compareTo(this.properties.timeout()) < 0) ? left : this.properties.timeout());
	}

	private static Duration left(long deadlineNanos) {
		return Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
	}

}
