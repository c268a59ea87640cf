package dev.sluice.backend;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.sluice.backend.BackendMetrics.Outcome;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ResponseStatusException;

/**
 * Stores the orders of one audit and counts its requests: those since the last
 * {@code DELETE /audit}, which begins another store. A request counts in the store in
 * which it began, so requests in flight at a reset do not appear in the new counts. An
 * order that was saved although its answer was lost counts as saved and as failed.
 * <p>
 * Confined to the backend's event loop, which gets the answers, at once or later. Times
 * are microseconds since 1970, the resolution of PostgreSQL.
 */
abstract class OrderStore {

	private long received;

	private long refused;

	private long failed;

	private int inFlight;

	private int maxInFlight;

	private long connectionsOpened;

	private long connectionsRefused;

	/**
	 * Saves an order unless its id exists.
	 * @param nowMicros the time, more than 0
	 * @return 201, 200 for a repeat, or why it is not saved
	 */
	abstract Mono<Answer> save(UUID id, long fingerprint, long nowMicros);

	/**
	 * Fails with a {@link ResponseStatusException} 503 if the store does not answer in
	 * time, like the methods below.
	 */
	abstract Mono<SavedOrder> find(UUID id);

	abstract Mono<Totals> totals();

	/** All orders, in any order. One that is saved meanwhile may be missing. */
	abstract Flux<SavedOrder> saved();

	/**
	 * Forgets all orders.
	 * @return the store for the next audit; it does not find orders that this store saves
	 * from now on
	 */
	abstract Mono<OrderStore> next();

	void received() {
		this.received++;
		this.inFlight++;
		this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
	}

	/** Counts a request that is refused at once and never in flight. */
	void refused() {
		this.received++;
		this.refused++;
	}

	/** Counts the end of a request that was in flight. */
	Outcome ended(Answer answer) {
		this.inFlight--;
		return switch (answer.status()) {
			// Those that it has saved are counted.
			case 201 -> Outcome.SAVED;
			case 200 -> Outcome.DUPLICATE;
			default -> {
				this.failed++;
				yield Outcome.FAILED;
			}
		};
	}

	void connection(boolean admitted) {
		if (admitted) {
			this.connectionsOpened++;
		}
		else {
			this.connectionsRefused++;
		}
	}

	Mono<BackendAudit> audit() {
		return totals().map((totals) -> new BackendAudit(totals.earlier() + this.received, totals.saved(),
				totals.duplicates(), this.refused, this.failed, this.inFlight, this.maxInFlight, this.connectionsOpened,
				this.connectionsRefused, totals.lastSavedAt()));
	}

	static SavedOrder order(UUID id, long micros) {
		return new SavedOrder(id, instant(micros));
	}

	static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	static long micros(Instant time) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, time);
	}

	/**
	 * The orders of a store.
	 *
	 * @param saved number of distinct orders
	 * @param duplicates number of their repeats
	 * @param earlier number of requests that were received before this process started
	 * @param lastSavedAt when the newest was saved; null if there is none
	 */
	record Totals(long saved, long duplicates, long earlier, @Nullable Instant lastSavedAt) {
	}

}
