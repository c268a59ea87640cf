package dev.sluice.contract;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What the backend has seen since {@code DELETE /audit}: the answer to
 * {@code GET /audit}. At any time received = saved + duplicates + refused + failed +
 * inFlight.
 *
 * @param received order requests begun: read whole and found valid
 * @param saved different orders saved
 * @param duplicates repeats of a saved order, answered without a second save
 * @param refused requests turned away by the capacity model (429 by {@code rate}, 503 by
 * the others) or because too many are in flight (503)
 * @param failed requests ended by a fault (error, hang, reset), and those not saved
 * because their id was saved with another body (422), the store is full (507) or does not
 * answer (503). One that the client gave up is still saved, unless it hangs
 * @param inFlight order requests not answered yet, those that wait for a worker included
 * @param maxInFlight the greatest {@code inFlight} seen
 * @param connectionsOpened TCP connections accepted and kept, whoever opened them
 * @param connectionsRefused TCP connections closed because of the cap on new ones
 * @param lastSavedAt when the newest order was saved, to the microsecond; null if none
 */
public record BackendAudit(long received, long saved, long duplicates, long refused, long failed, int inFlight,
		int maxInFlight, long connectionsOpened, long connectionsRefused, @Nullable Instant lastSavedAt) {
}
