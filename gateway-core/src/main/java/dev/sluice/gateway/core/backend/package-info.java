/**
 * What a gateway sends to the backend and what it gets back. Start at
 * {@link dev.sluice.gateway.core.backend.BackendResult}.
 */
@NullMarked
package dev.sluice.gateway.core.backend;

import org.jspecify.annotations.NullMarked;
