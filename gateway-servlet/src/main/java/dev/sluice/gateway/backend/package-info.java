/**
 * Calls to the backend, with their limits. Start at
 * {@link dev.sluice.gateway.backend.BackendClient}.
 */
@NullMarked
package dev.sluice.gateway.backend;

import org.jspecify.annotations.NullMarked;
