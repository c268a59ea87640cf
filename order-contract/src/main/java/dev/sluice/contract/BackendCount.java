package dev.sluice.contract;

/**
 * The backend's answer to {@code GET /orders/count}.
 *
 * @param saved distinct orders saved since the audit was last reset
 */
public record BackendCount(long saved) {
}
