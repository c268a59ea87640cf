package dev.sluice.contract;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The backend's counts since {@code DELETE /audit}: the answer to {@code GET /audit}. At
 * any time received = saved + duplicates + refused + failed + inFlight.
 *
 * @param received order requests that were read completely and found valid
 * @param saved distinct orders saved
 * @param duplicates repeats of a saved order, answered without a second save
 * @param refused requests refused by the capacity model (429 by {@code rate}, 503 by the
 * others) or because too many are in flight (503)
 * @param failed requests ended by a fault (error, hang, reset), and those not saved
 * because their id was saved with another body (422), the store is full (507) or does not
 * answer (503). An order that its client gave up is still saved, unless it hangs
 * @param inFlight order requests not answered yet, including those that wait for a worker
 * @param maxInFlight maximum of {@code inFlight}
 * @param connectionsOpened TCP connections accepted and kept, from any client
 * @param connectionsRefused TCP connections closed because of the cap on new ones
 * @param lastSavedAt when the newest order was saved, to the microsecond; null if none
 */
public record BackendAudit(long received, long saved, long duplicates, long refused, long failed, int inFlight,
		int maxInFlight, long connectionsOpened, long connectionsRefused, @Nullable Instant lastSavedAt) {
}
