package dev.sluice.backend.store;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.sluice.backend.loop.Loop;
import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;

/**
 * {@code backend.store=memory}: answers at once and keeps nothing after the process ends.
 * Confined to the {@link Loop}, bounded by {@code backend.max-orders}.
 */
public final class MemoryOrderStore implements OrderStore {

	private final int maxOrders;

	/** The orders of each part of {@link #export}. */
	private final List<Map<UUID, Saved>> parts = Stream.generate(() -> (Map<UUID, Saved>) new HashMap<UUID, Saved>())
		.limit(PARTS)
		.toList();

	private int size;

	private long duplicates;

	private @Nullable Saved last;

	/**
	 * A saved order.
	 *
	 * @param fingerprint of its body
	 * @param atMicros when it was saved, in microseconds since 1970
	 */
	private record Saved(long fingerprint, long atMicros) {

		SavedOrder order(UUID id) {
			return new SavedOrder(id, Micros.toInstant(this.atMicros));
		}

	}

	public MemoryOrderStore(int maxOrders) {
		this.maxOrders = maxOrders;
	}

	@Override
	public void save(UUID id, long fingerprint, long nowMicros, Consumer<Answer> then) {
		then.accept(save(id, fingerprint, nowMicros));
	}

	private Answer save(UUID id, long fingerprint, long nowMicros) {
		Saved first = part(id).get(id);
		if (first != null) {
			if (first.fingerprint() != fingerprint) {
				return new Answer.KeyReused(id);
			}
			this.duplicates++;
			return new Answer.Repeated(first.order(id));
		}
		if (this.size >= this.maxOrders) {
			return new Answer.StoreFull(this.size);
		}
		Saved saved = new Saved(fingerprint, nowMicros);
		part(id).put(id, saved);
		this.size++;
		this.last = saved;
		return new Answer.Saved(saved.order(id));
	}

	private Map<UUID, Saved> part(UUID id) {
		return this.parts.get(id.hashCode() >>> (Integer.SIZE - PART_BITS));
	}

	@Override
	public CompletableFuture<Optional<SavedOrder>> find(UUID id) {
		return CompletableFuture.completedFuture(Optional.ofNullable(part(id).get(id)).map((saved) -> saved.order(id)));
	}

	@Override
	public CompletableFuture<Totals> totals() {
		return CompletableFuture.completedFuture(new Totals(this.size, this.duplicates, 0,
				(this.last != null) ? Micros.toInstant(this.last.atMicros()) : null));
	}

	@Override
	public CompletableFuture<byte[]> export(int part) {
		Map<UUID, Saved> orders = this.parts.get(part);
		ByteBuffer out = ByteBuffer.allocate(orders.size() * EXPORTED_BYTES);
		orders.forEach((id, saved) -> out.putLong(id.getMostSignificantBits())
			.putLong(id.getLeastSignificantBits())
			.putLong(saved.atMicros()));
		return CompletableFuture.completedFuture(out.array());
	}

	@Override
	public CompletableFuture<OrderStore> next() {
		return CompletableFuture.completedFuture(new MemoryOrderStore(this.maxOrders));
	}

}
