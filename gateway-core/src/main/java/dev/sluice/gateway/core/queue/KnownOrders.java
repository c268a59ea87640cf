package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import org.jspecify.annotations.Nullable;

/**
 * The orders of {@link RecentOrders} by their ids. {@link RecentPartitions} bounds how
 * many of them come from Kafka.
 */
final class KnownOrders {

	/** The offset of an outcome that Kafka has not acknowledged yet. */
	private static final long UNPUBLISHED = -1;

	private final Map<UUID, Acceptance> accepted = new ConcurrentHashMap<>();

	private final Map<UUID, SyncSave> saved = new ConcurrentHashMap<>();

	@Nullable Acceptance acceptance(UUID id) {
		return this.accepted.get(id);
	}

	@Nullable SyncSave syncSave(UUID id) {
		return this.saved.get(id);
	}

	int size() {
		return this.accepted.size() + this.saved.size();
	}

	/** Adds an acceptance to what is known of the order. */
	void accept(UUID id, Acceptance acceptance) {
		this.accepted.merge(id, acceptance, Acceptance::merge);
	}

	/** An outcome has been read from Kafka. */
	void save(UUID id, SyncSave save) {
		this.saved.put(id, save);
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.saved.putIfAbsent(id, new SyncSave(fingerprint, savedAt, UNPUBLISHED));
	}

	/**
	 * The outcome of a synchronous order has been acknowledged.
	 * @param unread whether its record has not been read yet; if it has, the order may
	 * have been forgotten already
	 */
	void published(UUID id, long offset, boolean unread) {
		this.saved.computeIfPresent(id, (_, save) -> (save.offset() != UNPUBLISHED) ? save
				: unread ? new SyncSave(save.fingerprint(), save.savedAt(), offset) : null);
	}

	/** The outcome of a synchronous order has not been published. */
	void notPublished(UUID id) {
		this.saved.computeIfPresent(id, (_, save) -> (save.offset() == UNPUBLISHED) ? null : save);
	}

	/** Forgets an acceptance, unless a record at or after the offset repeats it. */
	void forgetAcceptance(UUID id, long below) {
		this.accepted.computeIfPresent(id, (_, order) -> (order.lastOffset() < below) ? null : order);
	}

	/** Forgets a save, unless a record at or after the offset repeats it. */
	void forgetSave(UUID id, long below) {
		this.saved.computeIfPresent(id, (_, save) -> (save.offset() < below) ? null : save);
	}

}
