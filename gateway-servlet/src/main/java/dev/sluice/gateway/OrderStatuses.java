package dev.sluice.gateway;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.contract.Taken;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * How far an order has come. PostgreSQL knows of every queued order, a moment late; the
 * backend knows of every saved one; the orders taken here last are remembered, so that
 * none is unknown in that moment or while PostgreSQL is down. For any number of threads;
 * holds at most {@code status.recent-orders}, the oldest go first.
 */
@Component
final class OrderStatuses {

	private static final Logger logger = LoggerFactory.getLogger(OrderStatuses.class);

	private final StatusProperties properties;

	private final StatusTable table;

	private final StatusGuard guard;

	private final Backend backend;

	private final Cache<UUID, Recent> recent;

	OrderStatuses(StatusProperties properties, StatusTable table, StatusGuard guard, Backend backend,
			MeterRegistry meters) {
		this.properties = properties;
		this.table = table;
		this.guard = guard;
		this.backend = backend;
		this.recent = Caffeine.newBuilder()
			.maximumSize(properties.recentOrders())
			.expireAfterWrite(properties.recentFor())
			.build();
		GatewayMetric.RECENT_ORDERS.gauge(meters, this.recent, Cache::estimatedSize);
	}

	/**
	 * Keeps in mind an order whose id is about to be handed out.
	 * @param order what is known of it
	 * @param fingerprint its payload's if it has an idempotency key, else null
	 */
	void remember(OrderView order, @Nullable Fingerprint fingerprint) {
		this.recent.put(order.id(), new Recent(order, fingerprint));
	}

	/** The fingerprint that a recent order was remembered with, or null. */
	@Nullable Fingerprint fingerprintOf(UUID id) {
		Recent order = this.recent.getIfPresent(id);
		return (order != null) ? order.fingerprint() : null;
	}

	private @Nullable OrderView remembered(UUID id) {
		Recent order = this.recent.getIfPresent(id);
		return (order != null) ? order.view() : null;
	}

	/**
	 * Looks an order up: in PostgreSQL, unless what is remembered is later; where that
	 * has it not, among the recent ones; then at the backend. Where PostgreSQL does not
	 * answer, or too many ask it, the backend comes first, as it may know better than
	 * what is remembered.
	 * @param id the order's id
	 * @return the order; fails with {@link ProblemException} if nobody knows it, or those
	 * who would cannot be asked
	 */
	CompletionStage<OrderView> find(UUID id) {
		OrderView remembered = remembered(id);
		if (remembered != null && remembered.status() == OrderStatus.SAVED) {
			return CompletableFuture.completedFuture(remembered);
		}
		return this.guard.askHere(this.properties.timeout(), () -> this.table.find(id))
			.handle((row, failure) -> (row != null) ? read(id, row, remembered) : notRead(id, failure, remembered))
			.thenCompose(Function.identity());
	}

	private CompletionStage<OrderView> read(UUID id, Optional<OrderView> row, @Nullable OrderView remembered) {
		if (row.isPresent()) {
			return CompletableFuture.completedFuture(merged(row.get(), remembered));
		}
		if (remembered != null) {
			return CompletableFuture.completedFuture(remembered);
		}
		return askBackend(id).thenApply((answer) -> withoutRow(id, answer));
	}

	private CompletionStage<OrderView> notRead(UUID id, Throwable failure, @Nullable OrderView remembered) {
		logger.debug("The status of order {} cannot be read", id, failure);
		return askBackend(id).thenApply((answer) -> withoutTable(id, answer, remembered));
	}

	/**
	 * What the projection will say once it has read what is remembered: an acceptance
	 * later than the row, as after a redelivery, is the status.
	 */
	private static OrderView merged(OrderView row, @Nullable OrderView remembered) {
		if (remembered == null || row.status() == OrderStatus.SAVED || !isLater(remembered, row)) {
			return row;
		}
		Instant acceptedAt = (row.acceptedAt() != null) ? row.acceptedAt() : remembered.acceptedAt();
		return new OrderView(row.id(), remembered.status(), remembered.attempts(), acceptedAt, remembered.updatedAt(),
				remembered.reason());
	}

	private static boolean isLater(OrderView one, OrderView other) {
		return one.updatedAt() != null && other.updatedAt() != null && one.updatedAt().isAfter(other.updatedAt());
	}

	private CompletionStage<Delivery> askBackend(UUID id) {
		return this.backend.find(id, this.properties.timeout());
	}

	private static OrderView withoutTable(UUID id, Delivery answer, @Nullable OrderView remembered) {
		if (answer instanceof Delivery.Saved(SavedOrder saved)) {
			return saved(saved, remembered);
		}
		if (remembered != null) {
			return remembered;
		}
		throw new ProblemException(ProblemType.STATUS_UNAVAILABLE,
				"The status store does not answer, so that nothing can be said of order " + id + ".", Taken.NO);
	}

	private static OrderView withoutRow(UUID id, Delivery answer) {
		return switch (answer) {
			case Delivery.Saved(SavedOrder saved) -> saved(saved, null);
			case Delivery.Refused(int status) when status == 404 ->
				throw new ProblemException(ProblemType.NOT_FOUND, "No order has the id " + id + ".");
			// It may be a sync order, which the backend alone knows.
			case Delivery.Refused _, Delivery.Unreadable _, Delivery.TimedOut _, Delivery.Unreachable _,
					Delivery.CircuitOpen _, Delivery.Full _ ->
				throw new ProblemException(ProblemType.STATUS_UNAVAILABLE,
						"The backend does not answer, so that nothing can be said of order " + id + ".", Taken.NO);
		};
	}

	private static OrderView saved(SavedOrder saved, @Nullable OrderView remembered) {
		return new OrderView(saved.id(), OrderStatus.SAVED, 1, (remembered != null) ? remembered.acceptedAt() : null,
				saved.savedAt(), null);
	}

	private record Recent(OrderView view, @Nullable Fingerprint fingerprint) {
	}

}
