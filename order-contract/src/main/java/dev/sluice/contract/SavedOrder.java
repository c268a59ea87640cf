package dev.sluice.contract;

import java.time.Instant;
import java.util.UUID;

/**
 * The backend's answer to {@code POST /orders} (201, or 200 for a repeat) and to
 * {@code GET /orders/{id}}.
 *
 * @param id the order's id: the {@code Idempotency-Key} of the request that saved it
 * @param savedAt when it was first saved, by the backend's clock
 */
public record SavedOrder(UUID id, Instant savedAt) {
}
