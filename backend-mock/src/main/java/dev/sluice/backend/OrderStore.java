package dev.sluice.backend;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ResponseStatusException;

/**
 * Stores the orders of one audit. Only the backend's event loop subscribes, and it gets
 * the answer, at once or later. Times are microseconds since 1970, the resolution of
 * PostgreSQL.
 */
interface OrderStore {

	int PART_BITS = 8;

	/** Number of parts of {@link #export}. */
	int PARTS = 1 << PART_BITS;

	/** Size of an order in {@link #export}. */
	int EXPORTED_BYTES = 3 * Long.BYTES;

	/**
	 * Saves an order unless its id exists.
	 * @param nowMicros the time, more than 0
	 * @return 201, 200 for a repeat, or why it is not saved
	 */
	Mono<Answer> save(UUID id, long fingerprint, long nowMicros);

	/**
	 * Fails with a {@link ResponseStatusException} 503 if the store does not answer in
	 * time, like the methods below.
	 */
	Mono<SavedOrder> find(UUID id);

	Mono<Totals> totals();

	/**
	 * A part of the saved orders: each is in exactly one of {@link #PARTS}.
	 * @param part the part, from 0
	 * @return for each order 24 bytes: its id, and the time of its save, as big-endian
	 * longs; unsorted
	 */
	Mono<byte[]> export(int part);

	/**
	 * Forgets all orders.
	 * @return the store for the next audit; it does not find orders that this store saves
	 * from now on
	 */
	Mono<OrderStore> next();

	static SavedOrder order(UUID id, long micros) {
		return new SavedOrder(id, instant(micros));
	}

	static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

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
