package dev.sluice.gateway.core.queue;

import java.time.Instant;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import org.jspecify.annotations.Nullable;

/**
 * An order in {@link Topics#ORDERS}.
 *
 * @param fingerprint the payload's, from its first record; null if its id is not derived
 * from an idempotency key
 * @param first when it was accepted
 * @param last when it was accepted again for redelivery, else the same as {@code first}
 * @param firstOffset the offset of its first record
 * @param lastOffset the offset of its last record
 */
public record Acceptance(@Nullable Fingerprint fingerprint, Instant first, Instant last, long firstOffset,
		long lastOffset) {

	/**
	 * A later record with another payload is not an acceptance: the first one counts.
	 */
	Acceptance merge(Acceptance other) {
		Acceptance earlier = (this.firstOffset <= other.firstOffset) ? this : other;
		Acceptance later = (earlier == this) ? other : this;
		boolean same = later.fingerprint == null || later.fingerprint.equals(earlier.fingerprint);
		Instant last = (same && later.last.isAfter(earlier.last)) ? later.last : earlier.last;
		return new Acceptance(earlier.fingerprint, earlier.first, last, earlier.firstOffset,
				Math.max(this.lastOffset, other.lastOffset));
	}
}
