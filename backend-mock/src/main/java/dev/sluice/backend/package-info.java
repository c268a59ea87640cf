/**
 * The slow backend. It saves each order once, after a delay, within a capacity and with
 * the faults that {@code PUT /behaviour} asks for, and audits its requests.
 * <p>
 * Start at {@link dev.sluice.backend.Backend}, which is all of it, without HTTP. All
 * state is confined to one event loop: one writer, no locks.
 */
@NullMarked
package dev.sluice.backend;

import org.jspecify.annotations.NullMarked;
