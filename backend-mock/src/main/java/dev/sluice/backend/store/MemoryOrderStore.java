package dev.sluice.backend.store;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.backend.loop.Loop;
import dev.sluice.contract.SavedOrder;

/**
 * {@code backend.store=memory}: answers at once and keeps nothing after the process ends.
 * Confined to the {@link Loop}, bounded by {@code backend.max-orders}.
 */
public final class MemoryOrderStore implements OrderStore {

	private final int maxOrders;

	private final SavedOrders orders;

	private long duplicates;

	private long lastSavedAtMicros = SavedOrders.NONE;

	public MemoryOrderStore(int maxOrders) {
		this.maxOrders = maxOrders;
		this.orders = new SavedOrders(maxOrders);
	}

	@Override
	public void save(UUID id, long fingerprint, long nowMicros, Consumer<Answer> then) {
		then.accept(save(id, fingerprint, nowMicros));
	}

	private Answer save(UUID id, long fingerprint, long nowMicros) {
		long outcome = this.orders.save(id, fingerprint, nowMicros);
		if (outcome == SavedOrders.NEW) {
			this.lastSavedAtMicros = nowMicros;
			return new Answer.Saved(new SavedOrder(id, Micros.toInstant(nowMicros)));
		}
		if (outcome == SavedOrders.OTHER) {
			return new Answer.KeyReused(id);
		}
		if (outcome == SavedOrders.FULL) {
			return new Answer.StoreFull(this.orders.size());
		}
		this.duplicates++;
		return new Answer.Repeated(new SavedOrder(id, Micros.toInstant(outcome)));
	}

	@Override
	public CompletableFuture<Optional<SavedOrder>> find(UUID id) {
		long savedAtMicros = this.orders.find(id);
		return CompletableFuture.completedFuture((savedAtMicros != SavedOrders.NONE)
				? Optional.of(new SavedOrder(id, Micros.toInstant(savedAtMicros))) : Optional.empty());
	}

	@Override
	public CompletableFuture<Long> saved() {
		return CompletableFuture.completedFuture((long) this.orders.size());
	}

	@Override
	public CompletableFuture<Totals> totals() {
		return CompletableFuture.completedFuture(new Totals(this.orders.size(), this.duplicates, 0,
				(this.lastSavedAtMicros != SavedOrders.NONE) ? Micros.toInstant(this.lastSavedAtMicros) : null));
	}

	@Override
	public CompletableFuture<byte[]> export(int part) {
		return CompletableFuture.completedFuture(this.orders.export(part));
	}

	@Override
	public CompletableFuture<OrderStore> next() {
		return CompletableFuture.completedFuture(new MemoryOrderStore(this.maxOrders));
	}

}
