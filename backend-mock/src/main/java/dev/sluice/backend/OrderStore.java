package dev.sluice.backend;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;

/**
 * Where the orders of one {@link Audit} are kept. To be called on the {@link Loop};
 * whatever is answered, then or later, is answered on it.
 */
interface OrderStore {

	/**
	 * Saves an order unless its id is there already.
	 * @param nowMicros the time, in microseconds since 1970, more than 0
	 * @param then is told {@link Answer.Saved}, {@link Answer.Repeated},
	 * {@link Answer.KeyReused}, {@link Answer.StoreFull} or
	 * {@link Answer.StoreUnavailable}
	 */
	void save(UUID id, long fingerprint, long nowMicros, Consumer<Answer> then);

	/** Fails with {@link StoreUnavailableException}, as the others. */
	CompletableFuture<Optional<SavedOrder>> find(UUID id);

	/** How many orders are saved. */
	CompletableFuture<Long> saved();

	CompletableFuture<Totals> totals();

	/**
	 * Forgets all orders.
	 * @return the store for the next audit. What is still saved into this one is found by
	 * nobody
	 */
	CompletableFuture<OrderStore> next();

	/**
	 * What a store knows of its orders.
	 *
	 * @param saved different orders
	 * @param duplicates repeats of them
	 * @param earlier requests of which these came before this process began
	 * @param lastSavedAt when the newest was saved; null if there is none
	 */
	record Totals(long saved, long duplicates, long earlier, @Nullable Instant lastSavedAt) {
	}

}
