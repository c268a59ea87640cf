package dev.sluice.gateway.core.status;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.RecentRecord;
import org.jspecify.annotations.Nullable;

/**
 * An order as Kafka and PostgreSQL know it. The order of precedence is the same at every
 * gateway and does not depend on a gateway's clock: saved according to PostgreSQL, saved
 * according to Kafka, accepted again since the row was written, the row, accepted
 * according to Kafka.
 *
 * @param id the order's id
 * @param reading how much of Kafka had been read when it was looked up
 * @param acceptance null if Kafka has no record that PostgreSQL may lack
 * @param save null if Kafka has no such outcome that PostgreSQL may lack
 * @param row what PostgreSQL has, which is asked after Kafka, so that it has what is
 * forgotten in between; null if it did not answer
 */
public record RecentOrder(UUID id, Reading reading, @Nullable RecentRecord acceptance, @Nullable RecentRecord save,
		@Nullable Optional<StatusRow> row) {

	/** The order as far as Kafka has been read. */
	public static RecentOrder of(UUID id, RecentOrders orders) {
		return new RecentOrder(id, Reading.BEHIND, orders.acceptance(id), orders.syncSave(id), null);
	}

	/**
	 * The order when Kafka has been read, see {@link RecentOrders#caughtUp}. What the
	 * reader loses before the order is looked up has not been read.
	 */
	public static CompletableFuture<RecentOrder> caughtUp(UUID id, RecentOrders orders, Duration limit) {
		return orders.caughtUp(limit).thenApply((reading) -> {
			Object read = orders.parts();
			RecentOrder known = of(id, orders);
			return orders.isKnown(read) ? new RecentOrder(id, reading, known.acceptance, known.save, null) : known;
		});
	}

	/** The same with PostgreSQL's answer. */
	public RecentOrder with(Optional<StatusRow> row) {
		return new RecentOrder(this.id, this.reading, this.acceptance, this.save, row);
	}

	private @Nullable StatusRow found() {
		return (this.row != null) ? this.row.orElse(null) : null;
	}

	/** The client's view; null if neither has the order. */
	public @Nullable OrderView view() {
		StatusRow found = found();
		OrderView view = (found != null) ? found.view() : null;
		if (view != null && view.status() == OrderStatus.SAVED) {
			return view;
		}
		if (this.save != null) {
			return saved(this.save.first());
		}
		if (this.acceptance != null && (found == null || this.acceptance.last().isAfter(found.acceptance()))) {
			return new OrderView(this.id, OrderStatus.ACCEPTED, 0, acceptedAt(), this.acceptance.last(), null);
		}
		return view;
	}

	private OrderView saved(Instant savedAt) {
		return new OrderView(this.id, OrderStatus.SAVED, 1, acceptedAt(), savedAt, null);
	}

	private @Nullable Instant acceptedAt() {
		StatusRow found = found();
		if (found != null && found.view().acceptedAt() != null) {
			return found.view().acceptedAt();
		}
		return (this.acceptance != null) ? this.acceptance.first() : null;
	}

	/** Whether PostgreSQL has answered, and neither it nor Kafka has the order. */
	public boolean isNowhere() {
		return this.row != null && view() == null;
	}

	/**
	 * The client's view; null where the backend, whose answer is the last word, may know
	 * better.
	 */
	public @Nullable OrderView sureView(RecentOrders orders) {
		OrderView view = view();
		boolean sure = view != null && switch (view.status()) {
			case ACCEPTED, RETRYING -> this.row != null && !orders.isProjectionBehind();
			case FAILED -> false;
			case SAVED -> true;
		};
		return sure ? view : null;
	}

	/**
	 * The client's view if the backend was asked as well. If it has saved an order that
	 * failed, the outcome is published.
	 * @throws ProblemException if no source knows the order: 404 only if no client was
	 * given the id
	 */
	public OrderView atBackend(BackendResult result, OutcomePublisher outcomes) {
		OrderView view = view();
		if (result instanceof BackendResult.Saved(SavedOrder order)) {
			StatusRow found = found();
			if (found != null && view != null && view.status() == OrderStatus.FAILED) {
				outcomes.publish(OrderOutcome.savedSync(this.id, found.customerId(), order.savedAt(), null));
			}
			return saved(order.savedAt());
		}
		if (view != null) {
			return view;
		}
		if (this.row == null) {
			throw unavailable("The status store does not answer, so the status of order " + this.id + " is unknown.");
		}
		if (!(result instanceof BackendResult.NotFound)) {
			// It may be a sync order, which only the backend knows.
			throw unavailable("The backend does not answer, so the status of order " + this.id + " is unknown.");
		}
		throw (this.reading == Reading.CURRENT)
				? new ProblemException(ProblemType.NOT_FOUND, "No order has the id " + this.id + ".")
				: unavailable("Order " + this.id + " is not known yet.");
	}

	private static ProblemException unavailable(String detail) {
		return new ProblemException(ProblemType.STATUS_UNAVAILABLE, detail, Placed.NO);
	}

	/**
	 * The order to deliver again.
	 * @param now the client's view
	 * @param codec reads and checks the payload, which may have been enqueued under other
	 * rules
	 * @throws ProblemException if the order has not failed, its payload is not a valid
	 * order, or PostgreSQL does not answer
	 */
	public ValidOrder forRedelivery(OrderView now, OrderCodec codec) {
		if (this.row == null) {
			throw unavailable("The status store does not answer.");
		}
		StatusRow found = found();
		if (now.status() == OrderStatus.SAVED || found == null || found.view().status() != OrderStatus.FAILED) {
			throw notRedeliverable("has not failed");
		}
		if (found.payload() == null) {
			throw notRedeliverable("could not be read");
		}
		byte[] json = found.payload().getBytes(StandardCharsets.UTF_8);
		Fingerprint fingerprint = OrderIds.isDerived(this.id) ? Fingerprint.ofJson(json) : null;
		try {
			return new ValidOrder(this.id, codec.decode(json), json, fingerprint, null);
		}
		catch (ProblemException ex) {
			throw notRedeliverable("is not valid");
		}
	}

	private ProblemException notRedeliverable(String why) {
		return new ProblemException(ProblemType.NOT_REDELIVERABLE, "Order " + this.id + " " + why + ".");
	}

}
