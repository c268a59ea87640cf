package dev.sluice.gateway.order;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks up the status of an order, waits for an order to be saved, lists failed orders
 * and redelivers them. PostgreSQL knows every order, with a delay; Kafka knows those that
 * PostgreSQL does not know yet; the backend knows those that it has saved.
 * {@link RecentOrder} gives the order of precedence. A status takes at most twice
 * {@code status.timeout}. Holds the calling thread.
 */
@Component
public record OrderStatuses(StatusProperties properties, StatusRepository repository, RecentOrders recent,
		BackendClient backend, OutcomePublisher outcomes, KeysInProgress keysInProgress, OrderCodec codec,
		OrderQueue queue, Semaphore waiters) {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

	/**
	 * Looks up an order.
	 * @param id the order's id
	 * @return the order
	 * @throws ProblemException if no client was given the id, or if a source that may
	 * know it does not answer
	 */
	public OrderView find(UUID id) {
		long deadlineNanos = this.properties.deadlineNanos();
		return checked(look(id, deadlineNanos), deadlineNanos);
	}

	/** Reads Kafka up to its end before it takes an order for unknown. */
	private RecentOrder look(UUID id, long deadlineNanos) {
		RecentOrder known = inTable(RecentOrder.of(id, this.recent), this.properties.left(deadlineNanos), true);
		if (!known.isNowhere()) {
			return known;
		}
		known = RecentOrder.caughtUp(id, this.recent, this.properties.timeout().dividedBy(2)).join();
		return inTable(known, this.properties.left(deadlineNanos), true);
	}

	private OrderView checked(RecentOrder known, long deadlineNanos) {
		OrderView view = known.sureView(this.recent);
		return (view != null) ? view
				: known.atBackend(this.backend.find(known.id(), this.properties.left(deadlineNanos)), this.outcomes);
	}

	/**
	 * Adds what PostgreSQL has, if it answers.
	 * @param needed false if the request can do without it, even if a bug is why it does
	 * not answer
	 */
	private RecentOrder inTable(RecentOrder known, Duration limit, boolean needed) {
		try {
			return known.with(this.repository.find(known.id(), limit));
		}
		catch (ProblemException _) {
			return known;
		}
		catch (RuntimeException ex) {
			if (needed) {
				throw ex;
			}
			logger.error("PostgreSQL cannot be asked because of a bug", ex);
			return known;
		}
	}

	/**
	 * Lists failed orders, the earliest failed first.
	 * @throws ProblemException if PostgreSQL does not answer
	 */
	public OrderPage list(PageQuery query) {
		return query.page(this.repository.failed(query, this.properties.timeout()));
	}

	/**
	 * Enqueues a failed order for redelivery, under its id and with the payload that
	 * PostgreSQL keeps; returns when Kafka has it. Two redeliveries of one order have one
	 * effect, because the backend saves an id once.
	 * @param id the order's id
	 * @return the order, accepted
	 * @throws ProblemException if the order has not failed or is saved, or if PostgreSQL
	 * or Kafka does not answer
	 */
	public OrderView redeliver(UUID id) {
		try (KeysInProgress.Work _ = this.keysInProgress.begin(id)) {
			long deadlineNanos = this.properties.deadlineNanos();
			RecentOrder known = look(id, deadlineNanos);
			OrderView now = checked(known, deadlineNanos);
			return this.queue.enqueue(known.forRedelivery(now, this.codec));
		}
	}

	/**
	 * Waits for a queued order to be saved ({@code Prefer: wait=n}) by polling
	 * PostgreSQL. At most {@code sluice.max-waiters} requests wait; further ones do not.
	 * @param request the request that queued the order
	 * @param clientDisconnected whether the client has disconnected; then the wait ends
	 * @return the reply, whether the order is saved or not
	 * @throws ProblemException if another order is saved under its key
	 */
	public OrderReply untilSaved(OrderRequest request, BooleanSupplier clientDisconnected) {
		OutcomeWait wait = new OutcomeWait(request, System.nanoTime());
		if (!this.waiters.tryAcquire()) {
			return wait.notWaited();
		}
		try {
			OrderReply reply = check(wait);
			while (reply == null) {
				Thread.sleep(wait.nextPause(System.nanoTime()));
				reply = clientDisconnected.getAsBoolean() ? wait.notWaited() : check(wait);
			}
			return reply;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return wait.notWaited();
		}
		finally {
			this.waiters.release();
		}
	}

	/** The order has been accepted, and the answer says so whatever fails. */
	private @Nullable OrderReply check(OutcomeWait wait) {
		RecentOrder order = RecentOrder.of(wait.request().id(), this.recent);
		return wait.check(inTable(order, this.properties.timeout(), false).row(), System.nanoTime());
	}

}
