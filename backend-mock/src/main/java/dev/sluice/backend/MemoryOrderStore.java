package dev.sluice.backend;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * {@code backend.store=memory}: answers at once and keeps nothing after the process ends.
 * Confined to the event loop, bounded by {@code backend.max-orders}.
 */
final class MemoryOrderStore implements OrderStore {

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
	}

	MemoryOrderStore(int maxOrders) {
		this.maxOrders = maxOrders;
	}

	@Override
	public Mono<Answer> save(UUID id, long fingerprint, long nowMicros) {
		return Mono.fromSupplier(() -> saveNow(id, fingerprint, nowMicros));
	}

	private Answer saveNow(UUID id, long fingerprint, long nowMicros) {
		Saved first = part(id).get(id);
		if (first != null) {
			if (first.fingerprint() != fingerprint) {
				return Answer.keyReused(id);
			}
			this.duplicates++;
			return Answer.repeated(OrderStore.order(id, first.atMicros()));
		}
		if (this.size >= this.maxOrders) {
			return Answer.problem(507,
					this.size + " orders are saved, as many as backend.max-orders allows; DELETE /audit forgets them");
		}
		Saved saved = new Saved(fingerprint, nowMicros);
		part(id).put(id, saved);
		this.size++;
		this.last = saved;
		return Answer.saved(OrderStore.order(id, nowMicros));
	}

	private Map<UUID, Saved> part(UUID id) {
		return this.parts.get(id.hashCode() >>> (Integer.SIZE - PART_BITS));
	}

	@Override
	public Mono<SavedOrder> find(UUID id) {
		return Mono.justOrEmpty(part(id).get(id)).map((saved) -> OrderStore.order(id, saved.atMicros()));
	}

	@Override
	public Mono<Totals> totals() {
		return Mono.just(new Totals(this.size, this.duplicates, 0,
				(this.last != null) ? OrderStore.instant(this.last.atMicros()) : null));
	}

	@Override
	public Mono<byte[]> export(int part) {
		Map<UUID, Saved> orders = this.parts.get(part);
		ByteBuffer out = ByteBuffer.allocate(orders.size() * EXPORTED_BYTES);
		orders.forEach((id, saved) -> out.putLong(id.getMostSignificantBits())
			.putLong(id.getLeastSignificantBits())
			.putLong(saved.atMicros()));
		return Mono.just(out.array());
	}

	@Override
	public Mono<OrderStore> next() {
		return Mono.just(new MemoryOrderStore(this.maxOrders));
	}

}
