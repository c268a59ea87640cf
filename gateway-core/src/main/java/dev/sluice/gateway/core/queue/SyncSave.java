package dev.sluice.gateway.core.queue;

import java.time.Instant;

import dev.sluice.contract.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * An order that was saved synchronously.
 *
 * @param fingerprint the payload's; null if its id is not derived from an idempotency key
 * @param savedAt time of the save, by the backend's clock
 * @param offset the offset of its outcome
 */
public record SyncSave(@Nullable Fingerprint fingerprint, Instant savedAt, long offset) {
}
