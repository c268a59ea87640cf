package dev.sluice.backend;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;

/**
 * What has happened since {@code DELETE /audit}, and the orders saved since. A reset
 * makes a new ledger, and a request writes into the one it began in to its end: what was
 * in flight at the reset can never leak into the new counts.
 * <p>
 * At any time received = saved + duplicates + refused + failed + in flight.
 * <p>
 * Confined to the {@link Loop}.
 */
final class Ledger {

	private final SavedOrders orders;

	private long received;

	private long duplicates;

	private long refused;

	private long failed;

	private int inFlight;

	private int maxInFlight;

	private long connectionsOpened;

	private long connectionsRefused;

	private long lastSavedAtMicros = SavedOrders.NONE;

	Ledger(int maxOrders) {
		this.orders = new SavedOrders(maxOrders);
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
	Answer save(UUID id, long fingerprint, Instant now) {
		long nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
		long outcome = this.orders.save(id, fingerprint, nowMicros);
		this.inFlight--;
		if (outcome == SavedOrders.NEW) {
			this.lastSavedAtMicros = nowMicros;
			return new Answer.Saved(new SavedOrder(id, instant(nowMicros)));
		}
		if (outcome == SavedOrders.OTHER) {
			this.failed++;
			return new Answer.KeyReused(id);
		}
		if (outcome == SavedOrders.FULL) {
			this.failed++;
			return new Answer.StoreFull(this.orders.size());
		}
		this.duplicates++;
		return new Answer.Repeated(new SavedOrder(id, instant(outcome)));
	}

	@Nullable SavedOrder find(UUID id) {
		long savedAtMicros = this.orders.find(id);
		return (savedAtMicros != SavedOrders.NONE) ? new SavedOrder(id, instant(savedAtMicros)) : null;
	}

	long saved() {
		return this.orders.size();
	}

	BackendAudit audit() {
		return new BackendAudit(this.received, saved(), this.duplicates, this.refused, this.failed, this.inFlight,
				this.maxInFlight, this.connectionsOpened, this.connectionsRefused,
				(this.lastSavedAtMicros != SavedOrders.NONE) ? instant(this.lastSavedAtMicros) : null);
	}

	private static Instant instant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

}
