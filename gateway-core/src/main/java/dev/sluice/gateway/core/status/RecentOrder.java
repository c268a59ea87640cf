package dev.sluice.gateway.core.status;

import java.time.Instant;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import org.jspecify.annotations.Nullable;

/**
 * What Kafka knows of an order, beside what PostgreSQL or the backend says of it. The
 * order of precedence is the same at every gateway, and no gateway's clock takes part:
 * saved according to PostgreSQL, saved according to Kafka, accepted again since the row
 * was written, the row, accepted according to Kafka.
 *
 * @param id the order's id
 * @param acceptance null if Kafka has no record that PostgreSQL may lack
 * @param save null if Kafka has no such outcome that PostgreSQL may lack
 */
public record RecentOrder(UUID id, @Nullable Acceptance acceptance, @Nullable SyncSave save) {

	/** What is known of an order now. */
	public static RecentOrder of(UUID id, RecentOrders orders) {
		return new RecentOrder(id, orders.acceptance(id), orders.syncSave(id));
	}

	/** What is told of it where PostgreSQL has it. */
	public OrderView beside(StatusRow row) {
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

	/** What is told of it where PostgreSQL does not have it; null if nothing is known. */
	public @Nullable OrderView alone() {
		if (this.save != null) {
			return saved(this.save.savedAt(), acceptedAt());
		}
		return (this.acceptance != null) ? accepted(this.acceptance.first(), this.acceptance.last()) : null;
	}

	/** What is told of it where the backend has it and PostgreSQL does not. */
	public OrderView atBackend(SavedOrder order) {
		return saved(order.savedAt(), acceptedAt());
	}

	/** What is told of it where the backend has it and PostgreSQL does not know yet. */
	public OrderView atBackend(SavedOrder order, OrderView row) {
		return saved(order.savedAt(), row.acceptedAt());
	}

	/** The payload that its id stands for; null if Kafka does not know. */
	public @Nullable Fingerprint fingerprint() {
		if (this.save != null && this.save.fingerprint() != null) {
			return this.save.fingerprint();
		}
		return (this.acceptance != null) ? this.acceptance.fingerprint() : null;
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
