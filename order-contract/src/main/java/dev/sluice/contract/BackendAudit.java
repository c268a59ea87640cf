package dev.sluice.contract;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What the backend has seen since {@code DELETE /audit}: the answer to
 * {@code GET /audit}. Once nothing is in flight, received = saved + duplicates + refused
 * + failed.
 *
 * @param received order requests begun
 * @param saved different orders saved
 * @param duplicates repeats of a saved order, answered without a second save
 * @param refused requests that the capacity model turned away with 503
 * @param failed requests ended by a fault (error, hang, reset) or given up by the client
 * @param inFlight order requests being processed now
 * @param maxInFlight the greatest {@code inFlight} seen
 * @param connectionsOpened TCP connections accepted
 * @param connectionsRefused TCP connections closed because of the cap on new ones
 * @param lastSavedAt when the newest order was saved, to the microsecond; null if none
 */
public record BackendAudit(long received, long saved, long duplicates, long refused, long failed, int inFlight,
		int maxInFlight, long connectionsOpened, long connectionsRefused, @Nullable Instant lastSavedAt) {
}
