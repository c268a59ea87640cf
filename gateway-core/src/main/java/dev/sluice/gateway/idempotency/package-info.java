/**
 * The client's name for a request, {@link dev.sluice.gateway.idempotency.IdempotencyKey}.
 */
@NullMarked
package dev.sluice.gateway.idempotency;

import org.jspecify.annotations.NullMarked;
