/**
 * {@code lab pool}: messages over new or kept connections. Start at
 * {@link dev.sluice.lab.pool.PoolExperiment}.
 */
@NullMarked
package dev.sluice.lab.pool;

import org.jspecify.annotations.NullMarked;
