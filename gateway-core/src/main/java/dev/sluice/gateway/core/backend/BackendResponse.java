package dev.sluice.gateway.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The backend's answer.
 *
 * @param status its HTTP status
 * @param retryAfter its {@code Retry-After}, or null
 * @param body its body, or the beginning if it is longer than
 * {@link dev.sluice.contract.BackendAnswer#MAX_BYTES}; empty if it has none
 * @param again whether the request was sent for the second time, after its connection
 * ended without an answer
 */
public record BackendResponse(int status, @Nullable String retryAfter, byte[] body, boolean again) {
}
