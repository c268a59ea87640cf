package dev.sluice.backend;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.SavedOrder;

/**
 * What has happened since {@code DELETE /audit}, and the orders saved since. A reset
 * makes a new ledger, and a request writes into the one it began in to its end: what was
 * in flight at the reset can never leak into the new counts.
 * <p>
 * At any time received = saved + duplicates + refused + failed + in flight, unless the
 * store has saved an order and its answer was lost: that one counts as failed, too.
 * <p>
 * Confined to the {@link Loop}.
 */
final class Ledger {

	private final OrderStore orders;

	private long received;

	private long refused;

	private long failed;

	private int inFlight;

	private int maxInFlight;

	private long connectionsOpened;

	private long connectionsRefused;

	Ledger(OrderStore orders) {
		this.orders = orders;
	}

	void received() {
		this.received++;
		this.inFlight++;
		this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
	}

	/** Received and refused at once: never in flight. */
	void refused() {
		this.received++;
		this.refused++;
	}

	void failed() {
		this.failed++;
		this.inFlight--;
	}

	void connectionOpened() {
		this.connectionsOpened++;
	}

	void connectionRefused() {
		this.connectionsRefused++;
	}

	/** Saves the order once, which ends its request whatever the answer. */
	void save(UUID id, long fingerprint, Instant now, Consumer<Answer> then) {
		this.orders.save(id, fingerprint, Micros.of(now), (answer) -> {
			this.inFlight--;
			switch (answer) {
				case Answer.Saved _, Answer.Repeated _ -> {
					// The store counts them.
				}
				case Answer.KeyReused _, Answer.StoreFull _, Answer.StoreUnavailable _ -> this.failed++;
				case Answer.Delayed _, Answer.NoCapacity _, Answer.Throttled _, Answer.TooManyInFlight _,
						Answer.Failed _, Answer.Reset _, Answer.Abandoned _ ->
					throw new IllegalArgumentException("Not a store's answer: " + answer);
			}
			then.accept(answer);
		});
	}

	CompletableFuture<Optional<SavedOrder>> find(UUID id) {
		return this.orders.find(id);
	}

	CompletableFuture<Long> saved() {
		return this.orders.saved();
	}

	CompletableFuture<BackendAudit> audit() {
		return this.orders.totals()
			.thenApply((totals) -> new BackendAudit(totals.earlier() + this.received, totals.saved(),
					totals.duplicates(), this.refused, this.failed, this.inFlight, this.maxInFlight,
					this.connectionsOpened, this.connectionsRefused, totals.lastSavedAt()));
	}

	/** The one to write into from now on, with no order. */
	CompletableFuture<Ledger> next() {
		return this.orders.next().thenApply(Ledger::new);
	}

}
