package dev.sluice.backend;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * {@code backend.store=memory}: answers at once and keeps nothing after the process ends.
 * Confined to the event loop, bounded by {@code backend.max-orders}.
 */
final class MemoryOrderStore extends OrderStore {

	private final int maxOrders;

	/** Can be read part by part while orders are saved. */
	private final Map<UUID, Saved> orders = new ConcurrentHashMap<>();

	private long duplicates;

	private @Nullable Saved last;

	/**
	 * A saved order.
	 *
	 * @param fingerprint of its body
	 * @param atMicros when it was saved, in microseconds since 1970
	 */
	private record Saved(long fingerprint, long atMicros) {
	}

	MemoryOrderStore(int maxOrders) {
		this.maxOrders = maxOrders;
	}

	@Override
	Mono<Answer> save(UUID id, long fingerprint, long nowMicros) {
		return Mono.fromSupplier(() -> saveNow(id, fingerprint, nowMicros));
	}

	private Answer saveNow(UUID id, long fingerprint, long nowMicros) {
		Saved first = this.orders.get(id);
		if (first != null) {
			if (first.fingerprint() != fingerprint) {
				return Answer.keyReused(id);
			}
			this.duplicates++;
			return Answer.repeated(OrderStore.order(id, first.atMicros()));
		}
		if (this.orders.size() >= this.maxOrders) {
			return Answer.problem(507, this.orders.size()
					+ " orders are saved, as many as backend.max-orders allows; DELETE /audit forgets them");
		}
		Saved saved = new Saved(fingerprint, nowMicros);
		this.orders.put(id, saved);
		this.last = saved;
		return Answer.saved(OrderStore.order(id, nowMicros));
	}

	@Override
	Mono<SavedOrder> find(UUID id) {
		return Mono.justOrEmpty(this.orders.get(id)).map((saved) -> OrderStore.order(id, saved.atMicros()));
	}

	@Override
	Mono<Totals> totals() {
		return Mono.just(new Totals(this.orders.size(), this.duplicates, 0,
				(this.last != null) ? OrderStore.instant(this.last.atMicros()) : null));
	}

	@Override
	Flux<SavedOrder> saved() {
		return Flux.fromIterable(this.orders.entrySet())
			.map((saved) -> OrderStore.order(saved.getKey(), saved.getValue().atMicros()));
	}

	@Override
	Mono<OrderStore> next() {
		return Mono.just(new MemoryOrderStore(this.maxOrders));
	}

}
