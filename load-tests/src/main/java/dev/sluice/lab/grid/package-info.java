/**
 * Gateways that wait, over the backend's delay and the requests in flight:
 * {@code lab grid}. Start at {@link dev.sluice.lab.grid.GridExperiment}.
 */
@NullMarked
package dev.sluice.lab.grid;

import org.jspecify.annotations.NullMarked;
