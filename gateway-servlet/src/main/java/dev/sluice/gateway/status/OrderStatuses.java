package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks up the status of an order and what its key was used for, lists failed orders and
 * redelivers them. PostgreSQL knows every order, with a delay; Kafka knows those that
 * PostgreSQL does not know yet; the backend knows those that it has saved.
 * {@link RecentOrder} gives the order of precedence. A status takes at most twice
 * {@code status.timeout}. Holds the calling thread.
 */
@Component
public record OrderStatuses(StatusProperties properties, StatusRepository repository, RecentOrders recent,
		BackendClient backend, OutcomePublisher outcomes, KeysInProgress keysInProgress, OrderCodec codec,
		OrderQueue queue, MeterRegistry meters) {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

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

	/**
	 * Lists failed orders, the earliest failed first.
	 * @throws StatusUnavailableException if PostgreSQL does not answer
	 */
	public OrderPage list(PageQuery query) {
		return query.page(this.repository.failed(query, this.properties.timeout()));
	}

	/**
	 * Enqueues a failed order for redelivery, under its id and with the payload that
	 * PostgreSQL keeps; returns when Kafka has it. Two redeliveries of one order have one
	 * effect, because the backend saves an id once. PostgreSQL and the backend together
	 * have {@code status.timeout}.
	 * @param id the order's id
	 * @return the order, accepted
	 * @throws ProblemException if the order has not failed or is saved, or Kafka does not
	 * answer
	 * @throws StatusUnavailableException if PostgreSQL does not answer
	 */
	public OrderView redeliver(UUID id) {
		try (KeysInProgress.Work _ = this.keysInProgress.begin(id)) {
			return enqueueAgain(id);
		}
	}

	private OrderView enqueueAgain(UUID id) {
		long deadlineNanos = System.nanoTime() + this.properties.timeout().toNanos();
		Optional<StoredOrder> stored = this.repository.stored(id, this.properties.timeout());
		if (stored.isEmpty()) {
			// If another source knows the order, it has not failed; otherwise it is not
			// found.
			find(id);
			throw StoredOrder.notFailed(id);
		}
		ValidOrder order = stored.get().forRedelivery(id, this.recent, this.codec);
		// The backend may have saved it although it failed.
		if (askBackend(id, deadlineNanos) instanceof BackendResult.Saved(SavedOrder saved)) {
			this.outcomes.publish(id, stored.get().customerId(), saved.savedAt(), null);
			throw StoredOrder.isSaved(id);
		}
		return this.queue.enqueue(order);
	}

	/**
	 * Looks up what a key was used for: first in Kafka, up to its end, then in
	 * PostgreSQL, each for at most {@link StatusProperties#keyLookupLimit}.
	 * @param id the id derived from the key
	 * @param mode the mode of the order that has the key now
	 */
	public KeyUse keyUse(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return new KeyUse.Unused();
		}
		long startNanos = System.nanoTime();
		Duration limit = this.properties.keyLookupLimit(mode);
		RecentOrder inKafka = RecentOrder.caughtUp(id, this.recent, limit).join();
		KeyUse use = KeyUse.of(inKafka, inTable(id, mode, limit));
		use.record(this.meters, System.nanoTime() - startNanos);
		return use;
	}

	private @Nullable Optional<KeyUse.Used> inTable(UUID id, Mode mode, Duration limit) {
		try {
			return this.repository.keyUse(id, limit);
		}
		catch (StatusUnavailableException _) {
			return null;
		}
		catch (RuntimeException ex) {
			if (mode == Mode.SYNC) {
				throw ex;
			}
			// A queued order needs only Kafka.
			logger.error("Whether order {} was accepted before cannot be read because of a bug", id, ex);
			return null;
		}
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
