/**
 * The gateway's requests to the backend and their results. Start at
 * {@link dev.sluice.gateway.core.backend.BackendResult}.
 */
@NullMarked
package dev.sluice.gateway.core.backend;

import org.jspecify.annotations.NullMarked;
