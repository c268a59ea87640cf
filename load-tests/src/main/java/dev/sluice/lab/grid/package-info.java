/**
 * {@code lab grid}: gateways that wait for a backend, by its delay and the requests in
 * flight. Start at {@link dev.sluice.lab.grid.GridExperiment}.
 */
@NullMarked
package dev.sluice.lab.grid;

import org.jspecify.annotations.NullMarked;
