package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.queue.Acceptance;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.SyncSave;
import org.jspecify.annotations.Nullable;

/**
 * An order as Kafka knows it, combined with the answers of PostgreSQL or the backend. The
 * order of precedence is the same at every gateway and does not depend on a gateway's
 * clock: saved according to PostgreSQL, saved according to Kafka, accepted again since
 * the row was written, the row, accepted according to Kafka.
 *
 * @param id the order's id
 * @param reading how much of Kafka had been read when it was looked up
 * @param acceptance null if Kafka has no record that PostgreSQL may lack
 * @param save null if Kafka has no such outcome that PostgreSQL may lack
 */
public record RecentOrder(UUID id, Reading reading, @Nullable Acceptance acceptance, @Nullable SyncSave save) {

	/** The order as far as Kafka has been read. */
	public static RecentOrder of(UUID id, RecentOrders orders) {
		return new RecentOrder(id, Reading.BEHIND, orders.acceptance(id), orders.syncSave(id));
	}

	/**
	 * The order when Kafka has been read, see {@link RecentOrders#caughtUp}. What the
	 * reader loses before the order is looked up has not been read.
	 */
	public static CompletableFuture<RecentOrder> caughtUp(UUID id, RecentOrders orders, Duration limit) {
		return orders.caughtUp(limit).thenApply((reading) -> {
			Object read = orders.read();
			RecentOrder known = of(id, orders);
			return orders.isKnown(read) ? new RecentOrder(id, reading, known.acceptance, known.save) : known;
		});
	}

	/** The client's view if PostgreSQL has the order. */
	public OrderView mergedWith(StatusRow row) {
		OrderView view = row.view();
		if (view.status() == OrderStatus.SAVED) {
			return view;
		}
		if (this.save != null) {
			return saved(this.save.savedAt(), (view.acceptedAt() != null) ? view.acceptedAt() : acceptedAt());
		}
		if (this.acceptance != null && this.acceptance.last().isAfter(row.acceptance())) {
			return accepted((view.acceptedAt() != null) ? view.acceptedAt() : this.acceptance.first(),
					this.acceptance.last());
		}
		return view;
	}

	/**
	 * The client's view if PostgreSQL does not have the order; null if Kafka does not
	 * either.
	 */
	public @Nullable OrderView alone() {
		if (this.save != null) {
			return saved(this.save.savedAt(), acceptedAt());
		}
		return (this.acceptance != null) ? accepted(this.acceptance.first(), this.acceptance.last()) : null;
	}

	/**
	 * The client's view if the backend was asked as well.
	 * @param otherwise the view without the backend, or null
	 */
	public @Nullable OrderView atBackend(BackendResult result, @Nullable OrderView otherwise) {
		return (result instanceof BackendResult.Saved(SavedOrder order))
				? saved(order.savedAt(), (otherwise != null) ? otherwise.acceptedAt() : acceptedAt()) : otherwise;
	}

	private @Nullable Instant acceptedAt() {
		return (this.acceptance != null) ? this.acceptance.first() : null;
	}

	private OrderView accepted(Instant acceptedAt, Instant updatedAt) {
		return new OrderView(this.id, OrderStatus.ACCEPTED, 0, acceptedAt, updatedAt, null);
	}

	private OrderView saved(Instant savedAt, @Nullable Instant acceptedAt) {
		return new OrderView(this.id, OrderStatus.SAVED, 1, acceptedAt, savedAt, null);
	}

}
