package dev.sluice.backend;

import dev.sluice.backend.BackendMetrics.Outcome;
import dev.sluice.contract.BackendAudit;
import reactor.core.publisher.Mono;

/**
 * Counts the requests since {@code DELETE /audit} and keeps the orders saved since. A
 * reset creates a new audit. A request counts in the audit in which it began, so requests
 * in flight at a reset do not appear in the new counts. It passes each end on to the
 * metrics, which are never reset.
 * <p>
 * At any time received = saved + duplicates + refused + failed + in flight. An order that
 * the store saved although its answer was lost counts as saved and as failed.
 * <p>
 * Confined to the event loop.
 */
final class Audit {

	private final OrderStore orders;

	private final BackendMetrics metrics;

	private long received;

	private long refused;

	private long failed;

	private int inFlight;

	private int maxInFlight;

	private long connectionsOpened;

	private long connectionsRefused;

	Audit(OrderStore orders, BackendMetrics metrics) {
		this.orders = orders;
		this.metrics = metrics;
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
		this.metrics.ended(Outcome.REFUSED);
	}

	/**
	 * Counts the end of a request that was in flight.
	 * @param micros from its reception to the answer
	 */
	void ended(Answer answer, long micros) {
		this.inFlight--;
		Outcome outcome = switch (answer.status()) {
			// The store counts these two.
			case 201 -> Outcome.SAVED;
			case 200 -> Outcome.DUPLICATE;
			default -> Outcome.FAILED;
		};
		if (outcome == Outcome.FAILED) {
			this.failed++;
		}
		this.metrics.ended(outcome, micros);
	}

	void connection(boolean admitted) {
		if (admitted) {
			this.connectionsOpened++;
		}
		else {
			this.connectionsRefused++;
		}
	}

	OrderStore orders() {
		return this.orders;
	}

	Mono<BackendAudit> audit() {
		return this.orders.totals()
			.map((totals) -> new BackendAudit(totals.earlier() + this.received, totals.saved(), totals.duplicates(),
					this.refused, this.failed, this.inFlight, this.maxInFlight, this.connectionsOpened,
					this.connectionsRefused, totals.lastSavedAt()));
	}

	/** A new audit without orders, for the requests from now on. */
	Mono<Audit> next() {
		return this.orders.next().map((store) -> new Audit(store, this.metrics));
	}

}
