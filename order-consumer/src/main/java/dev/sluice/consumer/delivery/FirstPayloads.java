package dev.sluice.consumer.delivery;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.contract.Fingerprint;

/**
 * Which payload the order of an id has: that of the first record that was worked on.
 * Thread-safe. Turns keep the records of one id apart, so only what has finished is
 * remembered.
 * <p>
 * Only ids that are derived from an idempotency key (version 8) can come with two
 * payloads; a redelivery of another id repeats its own. Bound: the last so many ids. Of
 * an older one, or one that finished before this process read its partition, the backend
 * decides, which saves an id once and refuses another payload.
 */
final class FirstPayloads {

	private static final int DERIVED = 8;

	private final Map<UUID, Fingerprint> finished;

	/**
	 * @param bound ids remembered at most
	 */
	FirstPayloads(int bound) {
		this.finished = new LinkedHashMap<>() {

			private static final long serialVersionUID = 1L;

			@Override
			protected boolean removeEldestEntry(Map.Entry<UUID, Fingerprint> eldest) {
				return size() > bound;
			}

		};
	}

	/** Whether the order of this id is known to be another one. */
	boolean conflictsWith(QueuedOrder order) {
		if (order.id().version() != DERIVED) {
			return false;
		}
		Fingerprint first;
		synchronized (this.finished) {
			first = this.finished.get(order.id());
		}
		return first != null && !first.equals(Fingerprint.ofJson(order.body()));
	}

	/** The order has been saved or has failed. */
	void finished(QueuedOrder order) {
		if (order.id().version() == DERIVED) {
			Fingerprint fingerprint = Fingerprint.ofJson(order.body());
			synchronized (this.finished) {
				this.finished.putIfAbsent(order.id(), fingerprint);
			}
		}
	}

}
