/**
 * The slow backend. It saves each order once, after a delay, within a capacity and with
 * the faults that {@code PUT /behaviour} asks for, and audits its requests.
 * <p>
 * Start at {@link dev.sluice.backend.model.Backend}, which is the whole model, without
 * HTTP. All state is confined to one event loop: one writer, no locks. This package has
 * the routes and puts the parts together.
 */
@NullMarked
package dev.sluice.backend;

import org.jspecify.annotations.NullMarked;
