package dev.sluice.backend.model;

import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.store.Answer;
import dev.sluice.backend.store.Micros;
import dev.sluice.backend.store.OrderStore;
import dev.sluice.contract.BackendAudit;

/**
 * Counts the requests since {@code DELETE /audit} and keeps the orders saved since. A
 * reset creates a new audit. A request counts in the audit in which it began, so requests
 * in flight at a reset do not appear in the new counts.
 * <p>
 * At any time received = saved + duplicates + refused + failed + in flight. An order that
 * the store saved although its answer was lost counts as saved and as failed.
 * <p>
 * Confined to the {@link Loop}.
 */
final class Audit {

	private final OrderStore orders;

	private long received;

	private long refused;

	private long failed;

	private int inFlight;

	private int maxInFlight;

	private long connectionsOpened;

	private long connectionsRefused;

	Audit(OrderStore orders) {
		this.orders = orders;
	}

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

	/** Saves an order once. The request ends with the answer. */
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

	OrderStore orders() {
		return this.orders;
	}

	CompletableFuture<BackendAudit> audit() {
		return this.orders.totals()
			.thenApply((totals) -> new BackendAudit(totals.earlier() + this.received, totals.saved(),
					totals.duplicates(), this.refused, this.failed, this.inFlight, this.maxInFlight,
					this.connectionsOpened, this.connectionsRefused, totals.lastSavedAt()));
	}

	/** A new audit without orders, for the requests from now on. */
	CompletableFuture<Audit> next() {
		return this.orders.next().thenApply(Audit::new);
	}

}
