package dev.sluice.backend.store;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.backend.loop.Loop;
import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;

/**
 * Stores the orders of one audit. Only the {@link Loop} calls it, and it answers on the
 * loop, at once or later.
 */
public interface OrderStore {

	int PART_BITS = 8;

	/** Number of parts of {@link #export}. */
	int PARTS = 1 << PART_BITS;

	/** Size of an order in {@link #export}. */
	int EXPORTED_BYTES = 3 * Long.BYTES;

	/**
	 * Saves an order unless its id exists.
	 * @param nowMicros the time, in microseconds since 1970, more than 0
	 * @param then receives {@link Answer.Saved}, {@link Answer.Repeated},
	 * {@link Answer.KeyReused}, {@link Answer.StoreFull} or
	 * {@link Answer.StoreUnavailable}
	 */
	void save(UUID id, long fingerprint, long nowMicros, Consumer<Answer> then);

	/** Fails with {@link StoreUnavailableException}, like the methods below. */
	CompletableFuture<Optional<SavedOrder>> find(UUID id);

	CompletableFuture<Totals> totals();

	/**
	 * A part of the saved orders: each is in exactly one of {@link #PARTS}.
	 * @param part the part, from 0
	 * @return for each order 24 bytes: its id, and the time of its save in microseconds
	 * since 1970, as big-endian longs; unsorted
	 */
	CompletableFuture<byte[]> export(int part);

	/**
	 * Forgets all orders.
	 * @return the store for the next audit; it does not find orders that this store saves
	 * from now on
	 */
	CompletableFuture<OrderStore> next();

	/**
	 * The counts of a store.
	 *
	 * @param saved number of distinct orders
	 * @param duplicates number of their repeats
	 * @param earlier number of requests that were received before this process started
	 * @param lastSavedAt when the newest was saved; null if there is none
	 */
	record Totals(long saved, long duplicates, long earlier, @Nullable Instant lastSavedAt) {
	}

}
