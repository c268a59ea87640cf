package dev.sluice.consumer.delivery;

import java.util.LinkedHashMap;
import java.util.UUID;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.contract.Fingerprint;

/**
 * Remembers the payload of each order, from the first record with its id. The
 * {@link KeySequencer} processes the records of one id one after another, so only
 * finished orders are remembered.
 * <p>
 * Only an id that is derived from an idempotency key (version 8) can occur with two
 * payloads. The history is bounded to the latest ids. For an older id, or one that was
 * finished before this process read its partition, the backend decides: it saves an id
 * once and refuses another payload.
 */
final class PayloadHistory {

	private final int bound;

	@GuardedBy("this")
	private final LinkedHashMap<UUID, Fingerprint> finished = new LinkedHashMap<>();

	/**
	 * @param bound maximum number of ids remembered
	 */
	PayloadHistory(int bound) {
		this.bound = bound;
	}

	/** Whether an order with this id and another payload is known. */
	synchronized boolean conflictsWith(QueuedOrder order) {
		Fingerprint fingerprint = order.fingerprint();
		return fingerprint != null && !fingerprint.equals(this.finished.getOrDefault(order.id(), fingerprint));
	}

	/** Remembers an order that is saved or failed. */
	synchronized void finished(QueuedOrder order) {
		Fingerprint fingerprint = order.fingerprint();
		if (fingerprint != null) {
			this.finished.putIfAbsent(order.id(), fingerprint);
			if (this.finished.size() > this.bound) {
				this.finished.pollFirstEntry();
			}
		}
	}

}
